import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilMoved } from './move-content.ts'

/** What is said while so much is left each time that it is looked. */
async function saidWhile(before: number, looks: readonly number[]): Promise<readonly string[]> {
  const said: string[] = []
  const rest = [...looks]
  await untilMoved(before, {
    left: async () => rest.shift() ?? assert.fail('it is looked too often'),
    pause: async () => {},
    out: { say: (text) => void said.push(text), status: () => {} },
  })
  assert.deepEqual(rest, [], 'everything was waited for')
  return said
}

const still = (left: number, seconds: number): readonly number[] => Array(seconds).fill(left)

test('a move of which nothing comes for a minute is said once to stand still', async () => {
  const said = await saidWhile(5, [...still(5, 300), 0])
  assert.equal(said.length, 1)
  assert.match(said[0] ?? '', /^Nothing was moved for a minute, with 5 file contents left\. The server's log/)
})

test('a slow one is not, and one that stands still later on is', async () => {
  assert.deepEqual(await saidWhile(3, [...still(3, 59), ...still(2, 60), ...still(1, 60), 0]), [])
  assert.equal((await saidWhile(3, [...still(3, 59), ...still(2, 61), 0])).length, 1)
})
