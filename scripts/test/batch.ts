// Many test files in one process, one after the other. Each is a suite, so that its hooks are for its own tests.
import { resolve } from 'node:path'
import { describe } from 'node:test'

// What a test waits for may be all that is left to happen, and not keep a process alive: the files to come do.
const toCome = setInterval(() => {}, 60_000)
for (const file of process.argv.slice(2))
  await describe(file, async () => {
    await import(resolve(file))
  })
clearInterval(toCome)
