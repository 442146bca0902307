import assert from 'node:assert/strict'
import { connect as connectHttp2 } from 'node:http2'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import type { Challenge, ChallengeStore } from '#core/certificate/challenge.ts'
import type { AnyRequest, AnyResponse } from '#core/http-message.ts'
import {
  clock,
  parseResponses,
  rawExchange,
  reply,
  silent,
  start,
  testAuthority,
} from '#test/support/http/listener.ts'
import { answerHttpChallenges } from './acme-http.ts'

const TOKEN = 'b'.repeat(43)

function storeOf(...kept: readonly Pick<Challenge, 'host' | 'token' | 'value'>[]) {
  const asked: string[] = []
  const challenges: ChallengeStore = {
    put: async () => {},
    remove: async () => {},
    prune: async () => {},
    async find(kind, host) {
      asked.push(host)
      if (host === 'broken.test') throw new Error('no database')
      return kept.filter((each) => each.host === host).map((each) => ({ kind, expiresAt: 1e15, ...each }))
    },
  }
  return { challenges, asked }
}

async function serve(t: TestContext, challenges: ChallengeStore) {
  const handle = answerHttpChallenges({ challenges, clock, log: silent }, (_req, res) =>
    reply(res, 'the site'),
  )
  const { port, tlsPort } = await start(t, { tlsPort: 'any', handle })
  const get = async (host: string, path: string, method = 'GET') => {
    const wire = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    return parseResponses(await rawExchange(port, wire))[0]?.body
  }
  return { get, tlsPort }
}

test('a challenge is answered on its host and under its token alone', async (t) => {
  const { challenges } = storeOf(
    { host: 'a.test', token: TOKEN, value: 'proof' },
    { host: 'a.test', token: 'c'.repeat(43), value: 'another' },
  )
  const { get } = await serve(t, challenges)
  const path = `/.well-known/acme-challenge/${TOKEN}`
  assert.equal(await get('a.test', path), 'proof')
  assert.equal(await get('A.TEST.:80', path), 'proof')
  for (const [host, other, method] of [
    ['b.test', path],
    ['a.test', `/.well-known/acme-challenge/${'d'.repeat(43)}`],
    ['a.test', `${path}?x`],
    ['a.test', `${path}/`],
    ['a.test', `/x${path}`],
    ['a.test', path, 'POST'],
    ['broken.test', path],
  ] as const)
    assert.equal(await get(host, other, method), 'the site', `${method} ${host} ${other}`)
})

test('what no authority would ask for is not looked up', async (t) => {
  const { challenges, asked } = storeOf()
  const { get } = await serve(t, challenges)
  for (const token of [
    '',
    'short',
    'x'.repeat(129),
    '%2e'.repeat(10),
    `${TOKEN}/..`,
    "' or 1=1 --".padEnd(30),
  ])
    await get('a.test', `/.well-known/acme-challenge/${encodeURI(token)}`)
  assert.deepEqual(asked, [])
})

test('an authority that was sent on to HTTPS finds it there as well', async (t) => {
  const { challenges } = storeOf({ host: 'a.localhost', token: TOKEN, value: 'proof' })
  const { tlsPort } = await serve(t, challenges)
  const { certPem } = await testAuthority()
  const session = connectHttp2(`https://127.0.0.1:${tlsPort}`, { ca: certPem, servername: 'a.localhost' })
  t.after(() => session.destroy())
  const asked = { ':authority': 'a.localhost', ':path': `/.well-known/acme-challenge/${TOKEN}` }
  assert.equal(await text(session.request(asked)), 'proof')
})

test('whoever asks for made-up tokens keeps no authority from its answer', async () => {
  const gate = Promise.withResolvers<void>()
  let looks = 0
  const { challenges } = storeOf({ host: 'a.test', token: TOKEN, value: 'proof' })
  const find: ChallengeStore['find'] = async (kind, host, now) => {
    looks++
    if (host !== 'a.test') await gate.promise
    return challenges.find(kind, host, now)
  }
  const passed: string[] = []
  const handle = answerHttpChallenges({ challenges: { ...challenges, find }, clock, log: silent }, (req) =>
    passed.push(req.socket?.remoteAddress ?? ''),
  )
  const ask = (remoteAddress: string, host: string) => {
    const said: unknown[] = []
    const res = { writeHead: () => ({ end: (value: unknown) => said.push(value) }) } as unknown as AnyResponse
    const [method, url] = ['GET', `/.well-known/acme-challenge/${TOKEN}`]
    const req = { method, url, headers: { host }, socket: { remoteAddress } } as unknown as AnyRequest
    return Promise.resolve(handle(req, res)).then(() => said)
  }
  const floods = Array.from({ length: 600 }, (_, n) => ask(`192.0.2.${n % 6}`, 'flood.test'))
  assert.ok(looks <= 60, `${looks} looks at once`)
  assert.deepEqual(await ask('198.51.100.1', 'a.test'), ['proof'])
  gate.resolve()
  await Promise.all(floods)
  assert.equal(passed.length, 600)
  assert.deepEqual(await ask('192.0.2.1', 'a.test'), ['proof'], 'they have theirs again')
})
