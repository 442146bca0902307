import assert from 'node:assert/strict'
import { connect as connectHttp2 } from 'node:http2'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import type { Challenge, ChallengeStore } from '#core/certificate/challenge.ts'
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
