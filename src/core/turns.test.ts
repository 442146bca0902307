import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurns } from './turns.ts'

test('so many of a key at once, the others in the order in which they came', async () => {
  const turns = createTurns(2)
  const began: string[] = []
  const begin = async (name: string, key = 'a') => {
    const giveBack = await turns.take(key)
    began.push(name)
    return giveBack
  }
  const [first] = await Promise.all([begin('1'), begin('2')])
  const third = begin('3')
  const fourth = begin('4')
  await begin('other', 'b')
  assert.deepEqual(began, ['1', '2', 'other'])
  assert.deepEqual([turns.waiting('a'), turns.waiting('b'), turns.waiting('c')], [2, 0, 0])
  first()
  first()
  const giveBack = await third
  assert.deepEqual(began, ['1', '2', 'other', '3'])
  giveBack()
  await fourth
  assert.deepEqual(began, ['1', '2', 'other', '3', '4'])
})

test('with one turn, work of a key follows each other also after a failure, and nothing is kept', async () => {
  const turns = createTurns(1)
  const seen: string[] = []
  const first = Promise.withResolvers<void>()
  const failing = turns.run('a', async () => {
    seen.push('first begins')
    await first.promise
    seen.push('first ends')
    throw new Error('no')
  })
  const second = turns.run('a', async () => {
    seen.push('second')
    return 2
  })
  assert.equal(await turns.run('b', async () => 'b'), 'b')
  assert.deepEqual(seen, ['first begins'])
  first.resolve()
  await assert.rejects(failing, /^Error: no$/)
  assert.equal(await second, 2)
  assert.deepEqual(seen, ['first begins', 'first ends', 'second'])
  assert.equal(turns.size, 0)
})

test('who gives up leaves the line, and nobody behind them waits for it', async () => {
  const turns = createTurns(1)
  const first = await turns.take('a', () => assert.fail('nobody has to wait'))
  const leaving = new AbortController()
  const second = turns.take('a', () => leaving.signal)
  const third = turns.take('a', () => new AbortController().signal)
  leaving.abort(new Error('gone'))
  await assert.rejects(second, /^Error: gone$/)
  await assert.rejects(
    turns.take('a', () => leaving.signal),
    /^Error: gone$/,
  )
  assert.equal(turns.waiting('a'), 1)
  first()
  const giveBack = await third
  // It has its turn, so there is nothing left to give up.
  giveBack()
  assert.equal(turns.size, 0)
})
