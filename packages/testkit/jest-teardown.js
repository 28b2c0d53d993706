/** Stops the servers of jest-setup.js; they clean up after themselves. */
module.exports = async () => {
  const servers = globalThis.worldsTestServers
  if (servers === undefined || servers.exitCode !== null) return
  const ended = new Promise((resolve) => servers.once('exit', resolve))
  servers.stdin.end()
  await ended
}
