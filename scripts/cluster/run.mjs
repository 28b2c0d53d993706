/** Programs that are run to their end, and those that run on. */
import { execFile, spawn } from 'node:child_process'
import { root, settings } from './settings.mjs'

const running = new Set()

/** Resolves to what was printed; rejects with the end of it. */
export function run(file, args, { timeoutMs = 120_000, input, cwd = root } = {}) {
  return new Promise((resolve, reject) => {
    const options = { timeout: timeoutMs, maxBuffer: 64 << 20, cwd, killSignal: 'SIGTERM' }
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      running.delete(child)
      if (error === null) return resolve({ stdout, stderr })
      const why = error.killed ? `not done in ${timeoutMs / 1000} s` : `exit ${error.code}`
      const said = `${stdout}\n${stderr}`.trim().split('\n').slice(-12).join('\n')
      reject(Object.assign(new Error(`${file} ${args.slice(0, 4).join(' ')}: ${why}\n${said}`), { stdout, stderr }))
    })
    running.add(child)
    child.stdin?.on('error', () => undefined).end(input)
  })
}

export async function kubectl(...args) {
  return (await run('kubectl', ['-n', settings.namespace, ...args])).stdout
}

export async function getJson(...args) {
  return JSON.parse(await kubectl('get', ...args, '-o', 'json'))
}

export async function apply(...objects) {
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects })
  await run('kubectl', ['-n', settings.namespace, 'apply', '-f', '-'], { input: list })
}

export function helm(args, timeoutMs = 660_000) {
  return run(settings.helm, [...args, '-n', settings.namespace], { timeoutMs })
}

/** Runs JavaScript in a pod: every image has node and none a shell. */
export function inPod(pod, script, ...args) {
  return kubectl('exec', pod, '--', 'node', '--input-type=module', '-e', script, ...args)
}

/** A way from here to a port of a Service or pod; ends with the test. */
export async function forward(target, port) {
  const child = spawn('kubectl', ['-n', settings.namespace, 'port-forward', target, `:${port}`])
  running.add(child)
  child.once('exit', () => running.delete(child))
  const local = await new Promise((resolve, reject) => {
    let said = ''
    const listen = (bytes) => {
      said += bytes
      const found = /127\.0\.0\.1:(\d+)/.exec(said)
      if (found !== null) resolve(Number(found[1]))
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('exit', () => reject(new Error(`port-forward to ${target} ended: ${said}`)))
    child.once('error', reject)
  })
  return { url: `http://127.0.0.1:${local}`, close: () => child.kill() }
}

/** Waits for a condition, never for a time; what it resolves to is handed back. */
export async function until(what, boundMs, isSo) {
  const end = Date.now() + boundMs
  let last = ''
  for (;;) {
    const found = await Promise.resolve(isSo()).catch((error) => {
      last = `: ${error.message}`
    })
    if (found) return found
    if (Date.now() > end) throw new Error(`not so within ${boundMs / 1000} s: ${what}${last}`)
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
}

export function endAllRunning() {
  for (const child of running) child.kill('SIGTERM')
}
