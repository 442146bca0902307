import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUp, createUnknownEndpoints } from './unknown-endpoints.ts'

test('counts by what was meant, whatever ids were in it', () => {
  const seen = createUnknownEndpoints(() => 5)
  seen.note('GET', '/v7/widgets/prj_0123456789')
  seen.note('GET', '/v7/widgets/prj_9876543210')
  seen.note('POST', '/v1/gadgets')
  assert.deepEqual(seen.list(), [
    { endpoint: 'GET /v7/widgets/:id', count: 2, lastAt: 5 },
    { endpoint: 'POST /v1/gadgets', count: 1, lastAt: 5 },
  ])
})

test('what is a secret in a path counts as an id, whatever it looks like', () => {
  const seen = createUnknownEndpoints(() => 5)
  seen.note('GET', '/v1/integrations/deploy/prj_0123456789/secret')
  assert.deepEqual(
    seen.list().map(({ endpoint }) => endpoint),
    ['GET /v1/integrations/deploy/:id/:id'],
  )
})

test('keeps so many and no more, and those that are asked for often', () => {
  const seen = createUnknownEndpoints(() => 1)
  const word = (i: number) => [...String(i)].map((digit) => 'abcdefghij'[Number(digit)]).join('')
  for (let i = 0; i < 3; i++) seen.note('GET', '/often')
  for (let i = 0; i < 5000; i++) seen.note('GET', `/${word(i)}`)
  assert.equal(seen.list().length, 200)
  assert.equal(seen.list()[0]?.endpoint, 'GET /often')
})

test('adds up what several processes have seen, and shows ten', () => {
  const one = (endpoint: string, count: number, lastAt: number) => ({ endpoint, count, lastAt })
  const many = Array.from({ length: 20 }, (_, i) => one(`GET /${i}`, 1, 1))
  const all = addUp([[one('GET /a', 2, 9)], [one('GET /a', 3, 4), ...many]])
  assert.deepEqual(all[0], one('GET /a', 5, 9))
  assert.equal(all.length, 10)
})
