import { isAbsolute, normalize } from 'node:path'
import { SandboxError, type SandboxRun } from '#core/ports/sandbox.ts'

/** What a timer can hold; about 24 days. */
const LONGEST_MS = 2 ** 31 - 1
const OWN_PLACES = ['/proc', '/dev', '/sys']

const bad = (message: string): never => {
  throw new SandboxError('bad_run', message)
}

const plainPath = (path: string) =>
  isAbsolute(path) &&
  !path.includes('\0') &&
  normalize(path) === path &&
  (path === '/' || !path.endsWith('/'))
const within = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

/** Every adapter calls this before a run becomes arguments and numbers for the kernel. */
export function assertRun(run: SandboxRun): void {
  if (!run.argv[0]) bad('A run needs a program')
  if (run.argv.some((text) => text.includes('\0'))) bad('An argument cannot contain a zero byte')
  for (const [name, value] of Object.entries(run.env))
    if (name === '' || /[=\0]/.test(name) || value.includes('\0'))
      bad(`The environment variable ${JSON.stringify(name)} cannot be passed on`)
  if (!plainPath(run.cwd)) bad(`Not an absolute, normal path: ${JSON.stringify(run.cwd)}`)
  for (const { host, inside, writable, maxBytes } of run.binds) {
    for (const path of [host, inside])
      if (!plainPath(path)) bad(`Not an absolute, normal path: ${JSON.stringify(path)}`)
    if (inside === '/' || OWN_PLACES.some((place) => within(inside, place)))
      bad(`Nothing can be bound at ${inside}`)
    if (maxBytes !== undefined && !(writable && Number.isSafeInteger(maxBytes) && maxBytes > 0))
      bad(`The size of ${inside} cannot be limited to ${maxBytes}`)
  }
  const { memoryBytes, cpus, share = 1, processes, wallMs, tmpBytes, outputBytes } = run.limits
  const endless = wallMs === Number.POSITIVE_INFINITY
  const whole = { memoryBytes, processes, tmpBytes, outputBytes, wallMs: endless ? undefined : wallMs }
  for (const [name, value] of Object.entries(whole))
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      bad(`The limit ${name} must be a whole number from 1`)
  if (!(share > 0 && share <= 10)) bad('The limit share must be a number up to 10')
  if (!(cpus >= 0.01 && cpus <= 4096)) bad('The limit cpus must be a number from 0.01')
  if (!endless && wallMs > LONGEST_MS) bad(`The limit wallMs must be at most ${LONGEST_MS}`)
}
