import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PrerenderCache, PrerenderEntry } from '#core/ports/prerender-cache.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import type { Answer } from '../answer.ts'
import { formNameOf } from '../file/compress-answer.ts'
import { type AnswerForms, briefOf, formIn, PrerenderMemory } from './prerender-memory.ts'

const asking = (accept: string | undefined) => ({ method: 'GET', headers: { 'accept-encoding': accept } })

test('however visitors word what they accept, there are few forms', () => {
  const words = [
    'gzip',
    'gzip;q=0.5',
    'GZIP, x',
    'x-gzip',
    ...Array.from({ length: 20 }, (_, n) => `gzip, x${n}`),
  ]
  assert.deepEqual([...new Set(words.map((accept) => formNameOf(asking(accept))))], ['gzip'])
  assert.equal(formNameOf(asking('gzip, br')), 'br')
  for (const accept of [undefined, '', 'identity', 'zstd', 'gzip;q=0'])
    assert.equal(formNameOf(asking(accept)), 'identity')
})

test('a form is made once for all who wait for it, and again where that has failed', async () => {
  const forms: AnswerForms = new Map()
  let count = 0
  const making = Promise.withResolvers<Answer>()
  const make = () => {
    count++
    return making.promise
  }
  const waiting = Array.from({ length: 50 }, () => formIn(forms, 'gzip', make))
  const answer = { status: 200 } as Answer
  making.resolve(answer)
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set([answer]))
  assert.equal(formIn(forms, 'gzip', make), answer, 'at once')
  assert.equal(count, 1)
  await assert.rejects(async () => formIn(forms, 'br', () => Promise.reject(new Error('no'))))
  assert.equal(await formIn(forms, 'br', () => answer), answer)
  for (let n = 0; n < 100; n++) formIn(forms, `made up ${n}`, () => answer)
  assert.ok(forms.size <= 8)
})

test('answers weigh as much as their headers as well', async () => {
  const reads: string[] = []
  const cache = {
    get: async ({ query }) => void reads.push(query),
    put: async () => {},
  } as Partial<PrerenderCache> as PrerenderCache
  const memory = new PrerenderMemory(cache, systemClock, silentLog, 1024 * 1024)
  const entry = (): PrerenderEntry => ({
    ...{ status: 200, body: Buffer.from('small'), generatedAt: 1, expiration: false },
    headers: ['x-long', 'x'.repeat(60_000)],
  })
  const key = (n: number) => ({ deploymentId: 'd', path: 'p', query: String(n) })
  for (let n = 0; n < 100; n++) await memory.put(key(n), entry())
  for (let n = 0; n < 100; n++) await memory.get(key(n))
  assert.ok(100 - reads.length <= 17, `${100 - reads.length} answers of 60 KB are in a megabyte`)
  assert.ok(reads.length < 100, 'some are')
})

test('a deployment is forgotten without a look at what there is of others', async (t) => {
  const reads: string[] = []
  const cache = {
    get: async ({ deploymentId, path }) => void reads.push(`${deploymentId} ${path}`),
    put: async () => {},
  } as Partial<PrerenderCache> as PrerenderCache
  const memory = new PrerenderMemory(cache, { ...systemClock, monotonic: () => 0 }, silentLog, 1024 * 1024)
  const key = (deploymentId: string, n: number) => ({ deploymentId, path: String(n), query: '' })
  // The oldest have to make room for the others.
  for (let n = 0; n < 600; n++) for (const id of ['a', 'ab']) await memory.get(key(id, n))
  const read = async (id: string, n: number): Promise<boolean> => {
    reads.length = 0
    await memory.get(key(id, n))
    return reads.length > 0
  }
  assert.equal(await read('ab', 599), false)
  const [all, compared] = [
    t.mock.method(Map.prototype, 'keys'),
    t.mock.method(String.prototype, 'startsWith'),
  ]
  memory.forget('b')
  memory.forget('a')
  const looks = all.mock.callCount() + compared.mock.callCount()
  t.mock.restoreAll()
  assert.equal(looks, 0)
  assert.equal(await read('a', 599), true)
  assert.equal(await read('a', 599), false, 'it is known again')
  assert.equal(await read('ab', 599), false, 'it is another deployment')
  memory.forget('a')
  assert.equal(await read('a', 599), true)
})

test('of a long name only what tells it from others is remembered', () => {
  assert.equal(briefOf('a name'), 'a name')
  const long = [...Array(10).keys()].map((n) => briefOf(`${'x'.repeat(30_000)}${n}`))
  assert.equal(new Set(long).size, 10)
  assert.ok(long.every(({ length }) => length < 100))
})
