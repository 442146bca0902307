import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Below those that the system gives to outgoing connections and to whoever listens on port 0, and below those that
 * launchers choose from: nobody takes one by accident between the moment it is chosen and the moment it is listened on.
 */
const FIRST = 10_000
const COUNT = 10_000
/** What browsers and `fetch` refuse to open. */
const REFUSED: readonly number[] = [10_080]

/** A file for every port that a test of this user has chosen, whatever its process. */
const CLAIMS = join(tmpdir(), `aloft-test-ports-${process.getuid?.() ?? 0}`)
const DAY = 86_400_000

const claimed: string[] = []
const release = (): void => {
  for (const file of claimed) rmSync(file, { force: true })
}

function claim(port: number): boolean {
  const file = join(CLAIMS, String(port))
  try {
    closeSync(openSync(file, 'wx'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    // Left by a process that was killed. The next who comes may have it.
    const madeAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    if (madeAt < Date.now() - DAY) rmSync(file, { force: true })
    return false
  }
  if (claimed.length === 0) process.once('exit', release)
  claimed.push(file)
  return true
}

/** Whether nobody listens on it, whatever the address. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const listening = once(server, 'listening').then(
    () => true,
    () => false,
  )
  server.listen(port)
  if (!(await listening)) return false
  await new Promise((done) => server.close(done))
  return true
}

/** A port for a program that is yet to be started. Until this process ends, no other test gets it. */
export async function freePort(): Promise<number> {
  mkdirSync(CLAIMS, { recursive: true, mode: 0o700 })
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    if (!REFUSED.includes(port) && claim(port) && (await isFree(port))) return port
  }
}
