/** What `servers.js` prints once all is up, and tests find in `WORLDS_TEST_SERVERS`. */
export interface TestServers {
  /** The superuser's, of the database `postgres`. */
  readonly postgresUrl: string
  readonly redisUrl: string
  readonly s3Endpoint: string
  /** A migrated database that every test file copies. */
  readonly template: string
  /** Folder with a file per service process under test, named by its id: whoever is left over is ended with the servers. */
  readonly processes: string
}

/** Of the services' database roles. They guard nothing: the databases are made for one run. */
export const testPasswords = {
  element: 'element',
  membership: 'membership',
  changeFeed: 'change-feed',
  file: 'file',
} as const

export function testServers(): TestServers {
  const text = process.env.WORLDS_TEST_SERVERS
  if (text === undefined) throw new Error('the test servers are not running: WORLDS_TEST_SERVERS is not set')
  return JSON.parse(text) as TestServers
}

/** The same server's URL for another of its databases. */
export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}
