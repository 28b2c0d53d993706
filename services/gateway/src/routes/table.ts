import { accountRoutes } from './account'
import { classicRoutes } from './classic'
import { elementRoutes } from './elements'
import { fileRoutes } from './files'
import { joinRoutes } from './join'
import { metadataRoutes } from './metadata'
import type { Route } from './route'
import { searchRoutes } from './search'
import { sharingRoutes } from './sharing'
import { worldRoutes } from './world'

/** Every route in the order of matching: names of their own come before the categories'. */
export const routes: readonly Route[] = [
  ...worldRoutes,
  ...searchRoutes,
  ...sharingRoutes,
  ...accountRoutes,
  ...joinRoutes,
  ...fileRoutes,
  ...elementRoutes,
  ...classicRoutes,
  ...metadataRoutes,
]
