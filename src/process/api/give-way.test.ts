import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

const PROGRAM = `
import { readdirSync, readFileSync } from 'node:fs'
import { giveWay } from ${JSON.stringify(new URL('./give-way.ts', import.meta.url).href)}
const nice = (thread) => readFileSync('/proc/self/task/' + thread + '/stat', 'utf8').split(') ')[1].split(' ')[16]
const all = () => [...new Set(readdirSync('/proc/self/task').map(nice))].map(Number)
const before = all()
giveWay()
console.log(JSON.stringify([before, all(), readdirSync('/proc/self/task').length]))
`

test('all threads of a process come after others', { skip: process.platform !== 'linux' }, () => {
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM], { encoding: 'utf8' })
  const [before, after, threads] = JSON.parse(output)
  assert.equal(before.length, 1)
  assert.deepEqual(after, [Math.min(19, before[0] + 5)])
  assert.ok(threads > 1)
})
