import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { type ImageConfig, readImageConfig } from '#core/output/image-config.ts'
import type { Site } from '#core/site/site.ts'
import type { AnswerMemory } from '../answer-memory.ts'
import type { EdgeCache } from '../cache/edge-cache.ts'
import type { Exchange } from '../exchange.ts'
import type { Proxy as Forwarder } from '../proxy/proxy.ts'
import { createImageAnswer } from './image-answer.ts'

/** Has no room until the end. */
const full = {
  hold: () => ({ grow: () => false, release: () => {} }),
  untilRoom: (_account: string, _bytes: number, end: AbortSignal) =>
    new Promise<boolean>((resolve) => end.addEventListener('abort', () => resolve(false), { once: true })),
} as unknown as AnswerMemory
const cache = { answer: ({ make }: { make: () => unknown }) => make() } as unknown as EdgeCache
const config = readImageConfig({ sizes: [640], minimumCacheTTL: 60 }) as ImageConfig
const site = { ownerId: 'somebody', host: 'site.test' } as Site

test('whoever waits for room in memory waits for a turn no longer than for the room, and not once they have left', async (t) => {
  const ends: AbortController[] = []
  t.mock.method(AbortSignal, 'timeout', () => {
    const end = new AbortController()
    ends.push(end)
    return end.signal
  })
  const answerImage = createImageAnswer({
    images: { convert: async () => assert.fail(), close: async () => {} },
    ...{ cache, held: full, proxy: {} as Forwarder, address: { scheme: 'https', port: 443 } },
  })
  const ask = async (name: string) => {
    const res = new EventEmitter()
    const exchange = { res, ip: '127.0.0.1', question: { method: 'GET', headers: {} } } as unknown as Exchange
    const before = ends.length
    const answer = answerImage({
      ...{ site, config, exchange, query: `url=%2F${name}.png&w=640&q=75` },
      askSite: async () => ({
        ...{ status: 200, headers: [], source: 'static', entrypoint: '' },
        body: Readable.from([Buffer.alloc(10)]),
      }),
    })
    // One of the source, and one of the room.
    while (ends.length < before + 2) await new Promise(setImmediate)
    return { answer, res, end: ends.at(-1) as AbortController }
  }
  const first = await ask('first')
  const late = await ask('late')
  late.end.abort()
  const refused = await late.answer
  assert.deepEqual('status' in refused && refused.status, 503)
  const gone = await ask('gone')
  gone.res.emit('close')
  assert.deepEqual(await gone.answer, { code: 'CLIENT_CLOSED_REQUEST', headers: [] })
  first.end.abort()
  assert.equal('status' in (await first.answer), true)
})
