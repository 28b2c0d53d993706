/** Every description there is. */
import { type Category, categories } from '@worlds/domain/registry'
import { accountResource } from './account'
import { bulkResource } from './bulk'
import { sharedSchemas } from './category-schemas'
import type { Description, Resource } from './description'
import { elementsOf, linkSchemas } from './elements'
import { errorSchemas } from './errors'
import { feedOf } from './feed'
import { filesOf, filesResource } from './files'
import { joinResource } from './join'
import { joiningResource } from './joining'
import { mediaResource } from './media'
import { membersResource } from './members'
import { openResource } from './open'
import { rosterResource } from './roster'
import type { Schema } from './schema'
import { searchResource } from './search'
import { tokensResource } from './tokens'
import { watchedResource } from './watched'
import { worldResource } from './world'
import { worldsResource } from './worlds'

export interface Resources {
  readonly named: readonly Resource[]
  /** Of each category, whose slug stands for `:type`. */
  readonly byCategory: ReadonlyMap<string, Resource>
  /** Components of no resource's own. */
  readonly schemas: Readonly<Record<string, Schema>>
}

export function describeAll(extensionPrefixes: readonly string[]): Resources {
  return {
    named: [
      worldResource,
      rosterResource,
      feedOf(extensionPrefixes),
      bulkResource,
      searchResource,
      filesResource,
      mediaResource,
      tokensResource,
      accountResource,
      worldsResource,
      membersResource,
      joiningResource,
      watchedResource,
      joinResource,
      openResource,
    ],
    byCategory: new Map(
      [...categories.values()].map((category) => [category.slug, categoryResource(category, extensionPrefixes)]),
    ),
    schemas: { ...errorSchemas, ...sharedSchemas, ...linkSchemas },
  }
}

function categoryResource(category: Category, extensionPrefixes: readonly string[]): Resource {
  const elements = elementsOf(category, extensionPrefixes)
  const files: Record<string, Description> = filesOf(category)
  return { ...elements, routes: { ...elements.routes, ...files } }
}
