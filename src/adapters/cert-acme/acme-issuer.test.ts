import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { Challenge } from '#core/certificate/challenge.ts'
import { IssueFailure } from '#core/ports/certificate-issuer.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { type AcmeIssuerParts, createAcmeIssuer } from './acme-issuer.ts'

const never = new AbortController().signal

/** An authority that is asked in vain: `answers` are for what comes after the directory. */
async function against(t: TestContext, answers: RequestListener, parts: Partial<AcmeIssuerParts> = {}) {
  let requests = 0
  const server = createServer((req, res) => {
    requests++
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    if (req.url === '/dir')
      res.end(
        JSON.stringify({ newNonce: `${url}/nonce`, newAccount: `${url}/account`, newOrder: `${url}/order` }),
      )
    else if (req.url === '/nonce') res.writeHead(200, { 'replay-nonce': 'a' }).end()
    else answers(req, res)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const issuer = createAcmeIssuer({
    directory: `http://127.0.0.1:${(server.address() as AddressInfo).port}/dir`,
    email: undefined,
    accountKey: (make) => make(),
    challenges: {
      put: async () => {},
      find: async () => [] as readonly Challenge[],
      remove: async () => {},
      prune: async () => {},
    },
    vault: { seal: (text) => text, open: (text) => text },
    clock: systemClock,
    log: silentLog,
    announce: () => {},
    shows: async () => true,
    servesZone: async () => false,
    ...parts,
  })
  return { issuer, requests: () => requests, close: () => server.closeAllConnections() }
}

const problem = (type: string, detail: string) =>
  JSON.stringify({ type: `urn:ietf:params:acme:error:${type}`, detail })

test('it is not asked during a handshake', async (t) => {
  const { issuer } = await against(t, () => {})
  assert.equal(issuer.instant, false)
})

test('one that limits its callers is not asked again, and says until when', async (t) => {
  const { issuer, requests } = await against(t, (_req, res) =>
    res.writeHead(429, { 'retry-after': '120' }).end(problem('rateLimited', 'Too many registrations')),
  )
  await assert.rejects(issuer.issue(['a.test'], never), (error) => {
    assert.ok(error instanceof IssueFailure)
    assert.deepEqual([error.message, error.retryAfter], ['Too many registrations', 120_000])
    return true
  })
  assert.equal(requests(), 3)
})

test('no order is made without leave, if there is somebody to give it', async (t) => {
  const ordered: string[] = []
  const { issuer } = await against(t, (req, res) => {
    if (req.url === '/account')
      res.writeHead(201, { location: `http://${req.headers.host}/me`, 'replay-nonce': 'b' }).end('{}')
    else {
      ordered.push(req.url ?? '')
      res.writeHead(403).end(problem('rejectedIdentifier', 'Not this one'))
    }
  })
  const failure = new IssueFailure('Enough', 1000)
  await assert.rejects(
    issuer.issue(['a.test'], never, () => Promise.reject(failure)),
    failure,
  )
  assert.deepEqual(ordered, [])
  await assert.rejects(
    issuer.issue(['a.test'], never, async () => {}),
    { message: 'Not this one' },
  )
  assert.deepEqual(ordered, ['/order'])
})

test('a nonce that is not taken is replaced, but not for ever', async (t) => {
  const { issuer, requests } = await against(t, (_req, res) =>
    res.writeHead(400, { 'replay-nonce': 'b' }).end(problem('badNonce', 'Bad nonce')),
  )
  await assert.rejects(issuer.issue(['a.test'], never), { name: 'IssueFailure', message: 'Bad nonce' })
  assert.equal(requests(), 8)
})

test('an error page and a line that breaks are told as such', async (t) => {
  const page = await against(t, (_req, res) => res.writeHead(502).end('<html>'))
  await assert.rejects(page.issuer.issue(['a.test'], never), {
    name: 'IssueFailure',
    message: 'The certificate authority answered with the status 502',
  })
  const cut = await against(t, (req) => req.socket.destroy())
  await assert.rejects(cut.issuer.issue(['a.test'], never), {
    name: 'IssueFailure',
    message: /^The certificate authority at 127\.0\.0\.1:\d+ did not answer: ./,
  })
})

test('whoever gives up does so at once, and does not spoil it for others', async (t) => {
  const asked = Promise.withResolvers<void>()
  const { issuer, close } = await against(t, () => asked.resolve())
  const gone = new AbortController()
  const other = issuer.issue(['b.test'], never)
  const first = issuer.issue(['a.test'], gone.signal)
  await asked.promise
  const reason = new Error('enough')
  gone.abort(reason)
  await assert.rejects(first, reason)
  assert.equal(await Promise.race([other.catch(() => 'over'), Promise.resolve('waits')]), 'waits')
  close()
  await assert.rejects(other, { name: 'IssueFailure' })
})

test('one that does not come to an end is given up', async (t) => {
  const { issuer } = await against(t, () => {}, { timeoutMs: 50 })
  await assert.rejects(issuer.issue(['a.test'], never), {
    name: 'IssueFailure',
    message: 'The certificate authority took too long',
  })
})

test('an account that the authority has forgotten is made again, once', async (t) => {
  const asked: string[] = []
  const { issuer } = await against(t, ({ url = '' }, res) => {
    asked.push(url)
    if (url === '/account') res.writeHead(201, { location: 'http://127.0.0.1/me' }).end('{}')
    else res.writeHead(400).end(problem('accountDoesNotExist', 'Who are you?'))
  })
  await assert.rejects(issuer.issue(['a.test'], never), { name: 'IssueFailure', message: 'Who are you?' })
  assert.deepEqual(asked, ['/account', '/order', '/account', '/order'])
})
