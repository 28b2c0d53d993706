const { existsSync } = require('node:fs')
const { delimiter, join } = require('node:path')

const hasRealWorld = existsSync(join(__dirname, '../shared/data/real-world.ndjson.gz'))
const hasProgram = (name) =>
  ['.tools', ...(process.env.PATH ?? '').split(delimiter)].some((directory) => existsSync(join(directory, name)))
const hasChromium = hasProgram('chromium')
if (!hasProgram('versitygw'))
  console.log('left out: the object store over versitygw, which is neither in .tools nor on the PATH')
if (!hasRealWorld) console.log('left out: the test with a real world, whose file is not beside this clone')
if (!hasChromium) console.log('left out: the docs page in a browser, for chromium is not on the PATH')

/** Services under test are real processes of `dist/`: build before running jest by itself. */
module.exports = {
  roots: ['<rootDir>/packages', '<rootDir>/services', '<rootDir>/scripts', '<rootDir>/load-tests', '<rootDir>/deploy'],
  testMatch: ['**/src/**/*.test.ts', '**/test/**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '/dist/',
    ...(hasRealWorld ? [] : ['real-world\\.test\\.ts$']),
    ...(hasChromium ? [] : ['docs-browser\\.test\\.ts$']),
  ],
  // An ES module, which jest can't load as it is.
  transformIgnorePatterns: ['/node_modules/(?!jose/)'],
  transform: {
    '/jose/.*\\.js$': ['@swc/jest', { module: { type: 'commonjs' } }],
    '\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } },
    ],
  },
  moduleNameMapper: {
    '^@worlds/proto/(.*)$': '<rootDir>/proto/src/$1',
    '^@worlds/(domain|runtime|schema|storage|testkit|views)/(.*)$': '<rootDir>/packages/$1/src/$2',
    '^@worlds/(gateway|element|change-feed|membership|file|ops|upload-host)/(.*)$': '<rootDir>/services/$1/src/$2',
  },
  globalSetup: '<rootDir>/packages/testkit/jest-setup.js',
  globalTeardown: '<rootDir>/packages/testkit/jest-teardown.js',
  testTimeout: 60_000,
  maxWorkers: 2,
}
