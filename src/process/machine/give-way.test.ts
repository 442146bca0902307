import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

const skip = process.platform !== 'linux'

const PROGRAM = `
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { giveWay, poolGivesWay } from ${JSON.stringify(new URL('./give-way.ts', import.meta.url).href)}
const read = (thread, file) => readFileSync('/proc/self/task/' + thread + '/' + file, 'utf8').trim()
const nice = (thread) => Number(read(thread, 'stat').split(') ')[1].split(' ')[16])
const all = () => readdirSync('/proc/self/task').map((thread) => [Number(thread) === process.pid ? 'main' : read(thread, 'comm'), nice(thread)])
await readFile('/proc/self/stat')
const before = all()
WORK
console.log(JSON.stringify([before, all()]))
`

/** What each thread is called and its priority, before something and after. */
function threadsAround(work: string): [string, number][][] {
  const program = PROGRAM.replace('WORK', work)
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }),
  )
}
const priorities = (threads: readonly (readonly [string, number])[] = []) => [
  ...new Set(threads.map(([, priority]) => priority)),
]

test('all threads of a process come after others', { skip }, () => {
  const [before, after] = threadsAround('giveWay()')
  const [first = 0, ...others] = priorities(before)
  assert.deepEqual(others, [])
  assert.deepEqual(priorities(after), [Math.min(19, first + 5)])
  assert.ok((after?.length ?? 0) > 1)
})

test('threads that read and write files come after the one that answers', { skip }, () => {
  const [before, after] = threadsAround('poolGivesWay()')
  const [first = 0] = priorities(before)
  const isPool = ([name]: readonly [string, number]) => name === 'libuv-worker'
  assert.deepEqual(priorities(after?.filter(isPool)), [Math.min(19, first + 10)])
  assert.deepEqual(priorities(after?.filter((thread) => !isPool(thread))), [first])
})
