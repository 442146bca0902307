import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnyRequest, AnyResponse } from '#core/http-message.ts'
import { createInTurns } from './in-turns.ts'

function scene({ isBySource = false } = {}) {
  let now = 0
  let next: (() => void)[] = []
  const begun: string[] = []
  const turns = createInTurns({
    keyOf: ({ url = '' }) => url.slice(1, 2),
    ...(isBySource ? { sourceOf: ({ url = '' }: AnyRequest) => url.slice(3) } : {}),
    now: () => now,
    later: (work) => next.push(work),
  })
  const handle = turns.handle(({ url }) => void begun.push(url ?? ''))
  const answers = new Map<string, { destroyed: boolean }>()
  return {
    turns,
    pass: (ms: number) => {
      now += ms
    },
    ask(name: string) {
      const res = { destroyed: false }
      answers.set(name, res)
      // As node:http hands on one without a body.
      const req = { url: `/${name}`, destroyed: true }
      handle(req as unknown as AnyRequest, res as AnyResponse)
    },
    leave(name: string) {
      const res = answers.get(name)
      if (res) res.destroyed = true
    },
    /** What was begun since it was last asked, and then the next turn. */
    turn() {
      const [works, found] = [next, begun.splice(0)]
      next = []
      for (const work of works) work()
      return found
    },
  }
}

test('what goes wrong in a later turn is told to whoever asked', async () => {
  const works: (() => void)[] = []
  const turns = createInTurns({ keyOf: () => '', now: () => 0, later: (work) => works.push(work) })
  turns.noteVisit(0)
  const fails = turns.handle(() => {
    throw new Error('broken')
  })
  const ask = () => fails({} as AnyRequest, {} as AnyResponse)
  assert.throws(ask, /broken/)
  const later = ask() as Promise<unknown>
  works.shift()?.()
  await assert.rejects(later, /broken/)
})

test('without visitors everything is begun as it comes', () => {
  const { ask, turn } = scene()
  for (const name of ['a1', 'a2', 'a3']) ask(name)
  assert.deepEqual(turn(), ['/a1', '/a2', '/a3'])
})

test('while there are visitors one request is begun in each turn, of each in rotation', () => {
  const { turns, ask, turn, leave, pass } = scene()
  turns.noteVisit(0)
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) ask(name)
  assert.deepEqual(turn(), ['/a1'])
  assert.deepEqual(turn(), ['/a2'])
  ask('c1')
  leave('a3')
  assert.deepEqual(turn(), ['/b1'])
  assert.deepEqual(turn(), [], 'who has left is not answered')
  assert.deepEqual(turn(), ['/c1'])
  assert.deepEqual(turn(), ['/a4'])
  assert.deepEqual(turn(), [])
  ask('a5')
  assert.deepEqual(turn(), ['/a5'], 'nobody waits for a turn that is free')
  pass(1001)
  turn()
  for (const name of ['a6', 'a7']) ask(name)
  assert.deepEqual(turn(), ['/a6', '/a7'], 'the visitors have gone')
})

test('whoever makes up names has no more turns by that than the first few', () => {
  const { turns, ask, turn } = scene({ isBySource: true })
  turns.noteVisit(0)
  const names = [...'abcdefghijklmnopqrstuvwxyz']
  for (const name of ['a', ...names]) ask(`${name}1stranger`)
  ask('V1visitor')
  ask('a1visitor')
  const begun = Array.from({ length: 14 }, () => turn()).flat()
  assert.ok(begun.indexOf('/V1visitor') >= 0 && begun.indexOf('/V1visitor') <= 10, begun.join())
  assert.ok(begun.includes('/a1visitor'), begun.join())
  const rest = Array.from({ length: 20 }, () => turn()).flat()
  assert.equal(begun.length + rest.length, 29, 'all are begun in the end')
  // Of the first few nothing is left.
  ask('x1stranger')
  for (const name of ['a1', 'b1']) ask(`${name}stranger`)
  ask('V2visitor')
  const again = Array.from({ length: 4 }, () => turn()).flat()
  assert.deepEqual(again, ['/x1stranger', '/a1stranger', '/b1stranger', '/V2visitor'])
})
