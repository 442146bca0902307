import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { followChanges } from '#contract/api/change.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'

const STREAM = [
  'retry: 2000\n',
  'event: hello\ndata: {"ownerId":"u1","kinds":["deployment","project"]}\n',
  ':\n',
  'event: change\ndata: {"kind":"project","id":"prj_1","projectId":"prj_1"}\n',
  'event: change\ndata: {"kind":"deployment","id":"dpl_1","projectId":"prj_1"}\n',
  '',
].join('\n')

test('changes are told as they come, also after a connection that ended, until there are enough', async () => {
  await using machine = await startMachine(
    answers(followChanges, () => ({ type: 'text/event-stream', body: STREAM }) as never),
  )
  const run = (...words: readonly string[]) => machine.run(['changes', ...words], { ALOFT_TOKEN: TOKEN })
  const all = await run('--limit', '3')
  assert.equal(all.code, 0, all.stderr)
  assert.match(all.stderr, /Waiting for changes\. Press Ctrl-C to stop\./)
  assert.deepEqual(
    all.stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(25)),
    ['project        prj_1', 'deployment     dpl_1 in prj_1', 'project        prj_1'],
  )
  const some = await run('--kind', 'deployment', '--limit', '1', '--json')
  const { at, ...change } = JSON.parse(some.stdout)
  assert.equal(typeof at, 'number')
  assert.deepEqual(change, { kind: 'deployment', id: 'dpl_1', projectId: 'prj_1' })
  const wrong = await run('--kind', 'weather')
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /"weather" is not a kind of change/)
})
