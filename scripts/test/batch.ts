// Many test files in one process, one after the other. Each is a suite, so that its hooks are for its own tests.
import { flushCompileCache } from 'node:module'
import { resolve } from 'node:path'
import { appendCost, ofThisProcess } from './costs.ts'
import { timeoutMsOf } from './plan.ts'

// Before the files, which import it.
await import('./scope.ts')
const { describe } = await import('node:test')

/** For what tests leave behind to end by itself. */
const LAST_WORDS_MS = 10_000

export async function runFiles(
  costs: string,
  files: readonly string[],
  timeoutOf: (file: string) => number,
): Promise<void> {
  // What a test waits for may be all that is left to happen, and not keep a process alive: the files to come do.
  const toCome = setInterval(() => {}, 60_000)
  let used = 0
  for (const file of files) {
    const began = performance.now()
    await describe(file, { timeout: timeoutOf(file) }, async () => {
      await import(resolve(file))
    })
    // Node does so when a process ends. This one does not for minutes, and others would strip and compile the same meanwhile.
    flushCompileCache()
    const now = ofThisProcess()
    appendCost(costs, {
      file,
      seconds: (performance.now() - began) / 1000,
      cpu: now - used,
      begun: began + performance.timeOrigin,
    })
    used = now
  }
  clearInterval(toCome)
}

if (import.meta.main) {
  const [costs, ...files] = process.argv.slice(2) as [string, ...string[]]
  await runFiles(costs, files, timeoutMsOf)
  // A test that was given up may wait for ever; everything was told by then.
  setTimeout(() => process.exit(), LAST_WORDS_MS).unref()
}
