import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import { after, mock, test } from 'node:test'
import { createMemoryLimiter } from '#adapters/limit-memory/memory-limiter.ts'
import { AloftError } from '#contract/errors.ts'
import { MINUTE } from '#contract/time.ts'
import type { SsoPass } from '#core/session/session.ts'
import { SITES_TOPIC, type Site, type SiteProtection } from '#core/site/site.ts'
import { hashBearer } from '#core/token/token.ts'
import { createTestClock } from '#test/support/clock.ts'
import {
  ask,
  createEdgeWorld,
  createInstances,
  serveHttp2,
  serveSlow,
  siteFunctions,
} from '#test/support/http/edge.ts'
import { CLOSE_FRAMES } from './upgrade/websocket-frames.ts'

const SECRET = 'secret-of-32-characters-01234567'
const PASSWORD_PART = { sealed: 'sealed', version: 'v1' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const passes = new Map<string, SsoPass>()
const members = new Set<string>()
const clock = createTestClock()
const limiter = createMemoryLimiter({ clock })
let tries = 0
let isAway = false
const instances = await createInstances()
const world = createEdgeWorld({
  runner: instances.runner,
  clock,
  sites: {
    async find(host) {
      if (isAway) throw new AloftError('service_unavailable', 'The database is away')
      return world.sites.get(host)
    },
  },
  protection: {
    key: Buffer.alloc(32, 1),
    signInUrl: 'http://aloft.test/sso',
    passes: {
      async take(hash) {
        const pass = passes.get(hash)
        passes.delete(hash)
        return pass
      },
    },
    mayVisit: async (userId) => members.has(userId),
    openPassword: () => 'open sesame',
    limiter: {
      take(...given) {
        tries++
        return limiter.take(...given)
      },
    },
  },
})

/** Sends an event to all who are connected, from a server that is not ours. */
const followers = new Set<ServerResponse>()
const elsewhere = createServer((req, res) => {
  req.resume()
  res.writeHead(200, { 'content-type': 'text/event-stream' })
  res.write('data: hello\n\n')
  followers.add(res)
  res.once('close', () => followers.delete(res))
}).listen(0, '127.0.0.1')
await once(elsewhere, 'listening')
const http1 = await serveSlow(world.edge)
const http2 = await serveHttp2(world.edge)
const chat = await instances.start('chat', (_, res) => res.end())
chat.server.on('upgrade', (_: IncomingMessage, socket: Socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n')
  socket.pipe(socket)
})
after(async () => {
  await Promise.all([http1.close(), http2.close()])
  await world.edge.close()
  await instances.close()
  elsewhere.close().closeAllConnections()
})

let hosts = 0

function addSite(protection?: Partial<SiteProtection>): string {
  const host = `g${hosts++}.test`
  const { port } = elsewhere.address() as AddressInfo
  world.addSite(
    host,
    {},
    {
      routes: [{ src: '/(?:events|_platform/sso)', dest: `http://127.0.0.1:${port}/` }],
      functions: siteFunctions({ chat: { program: 'chat' } }),
      ...(protection && { protection: { optionsPaths: [], bypassHashes: [], sso: false, ...protection } }),
    },
  )
  return host
}

function change(host: string, changes: Partial<Site> | undefined): void {
  const site = world.sites.get(host) as Site
  if (changes === undefined) world.sites.delete(host)
  else world.sites.set(host, { ...site, ...changes })
  world.bus.publish(SITES_TOPIC, host)
}

const protect = (host: string, changes: Partial<SiteProtection>) =>
  change(host, {
    protection: {
      ...{ optionsPaths: [], bypassHashes: [], sso: false },
      ...world.sites.get(host)?.protection,
      ...changes,
    },
  })

type Headers = Readonly<Record<string, string>>
interface Opened {
  /** Another byte or event goes through. */
  passes(): Promise<void>
  /** All that came from now on, at the end. */
  rest(): Promise<string>
}

const dataOf = async (stream: Readable) => ((await once(stream, 'data')) as [Buffer])[0].toString('latin1')

async function followed(stream: Readable): Promise<Opened> {
  assert.equal(await dataOf(stream), 'data: hello\n\n')
  return {
    async passes() {
      for (const follower of followers) follower.write('data: more\n\n')
      assert.equal(await dataOf(stream), 'data: more\n\n')
    },
    rest: async () => Buffer.concat(await stream.toArray()).toString('latin1'),
  }
}

interface Asked {
  readonly path?: string
  readonly headers?: Headers
}

const requestTo = (host: string, path: string, headers: Headers, method = 'GET') =>
  request({
    ...{ port: http1.port, host: '127.0.0.1', path, method, agent: false, headers: { host, ...headers } },
  })

async function openHttp1(host: string, { path = '/events', headers = {} }: Asked): Promise<Opened> {
  return answerTo(requestTo(host, path, headers).end())
}

async function answerTo(req: ClientRequest): Promise<Opened> {
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  assert.equal(res.statusCode, 200)
  return followed(res)
}

async function openHttp2(host: string, { path = '/events', headers = {} }: Asked): Promise<Opened> {
  const session = connectHttp2(`http://127.0.0.1:${http2.port}`)
  const stream = session.request({ ':path': path, ':authority': host, ...headers })
  stream.once('close', () => session.destroy())
  return followed(stream)
}

async function openWebSocket(host: string, { path = '/chat', headers = {} }: Asked): Promise<Opened> {
  const asked = path.replace('/events', '/chat')
  const req = requestTo(host, asked, { connection: 'Upgrade', upgrade: 'websocket', ...headers }).end()
  const [, socket] = (await once(req, 'upgrade')) as [IncomingMessage, Duplex]
  const frame = Buffer.of(0x82, 1, 7)
  return {
    async passes() {
      socket.write(frame)
      assert.equal(await dataOf(socket), frame.toString('latin1'))
    },
    rest: async () => Buffer.concat(await socket.toArray()).toString('latin1'),
  }
}

const WAYS = [
  { way: 'events over HTTP/1.1', open: openHttp1, last: '' },
  { way: 'events over HTTP/2', open: openHttp2, last: '' },
  { way: 'a WebSocket', open: openWebSocket, last: CLOSE_FRAMES.refusal.toString('latin1') },
]

mock.timers.enable({ apis: ['setInterval'] })

/** A minute passes, in which everybody is looked at again. What was told on the bus is heard before. */
async function minute(): Promise<void> {
  await new Promise(setImmediate)
  clock.advance(MINUTE)
  mock.timers.tick(MINUTE)
  await new Promise(setImmediate)
}

const cookieIn = ({ headers }: { headers: IncomingMessage['headers'] }) => ({
  cookie: headers['set-cookie']?.[0]?.split(';')[0] as string,
})

async function signIn(host: string, userId: string): Promise<Headers> {
  const path = `/_platform/sso?nonce=${pass(host, userId)}&url=/`
  return cookieIn(await ask(http1.port, path, { host }))
}

function pass(host: string, userId: string): string {
  const nonce = `nonce${hosts++}`
  passes.set(hashBearer(nonce), {
    ...{ hash: hashBearer(nonce), host, userId, expiresAt: clock.now() + MINUTE },
  })
  return nonce
}

const enterPassword = async (host: string): Promise<Headers> =>
  cookieIn(
    await ask(http1.port, '/', {
      ...{ host, method: 'POST', headers: FORM, body: '_platform_password=open+sesame' },
    }),
  )

interface Loss {
  readonly protection?: Partial<SiteProtection>
  readonly enter?: (host: string) => Asked | Promise<Asked>
  readonly lose: (host: string) => void
}

const signedIn = async (host: string): Promise<Asked> => {
  members.add(host)
  return { headers: await signIn(host, host) }
}

const LOSSES: Readonly<Record<string, Loss>> = {
  'a membership that ends': {
    ...{ protection: { sso: true }, enter: signedIn, lose: (host) => members.delete(host) },
  },
  'another password': {
    protection: { password: PASSWORD_PART },
    enter: async (host) => ({ headers: await enterPassword(host) }),
    lose: (host) => protect(host, { password: { ...PASSWORD_PART, version: 'v2' } }),
  },
  'other trusted addresses': {
    protection: { trustedIps: { addresses: ['127.0.0.1'], mode: 'additional' } },
    lose: (host) => protect(host, { trustedIps: { addresses: ['10.0.0.1'], mode: 'additional' } }),
  },
  'a secret in the query that is revoked': {
    protection: { sso: true, bypassHashes: [hashBearer(SECRET)] },
    enter: () => ({ path: `/events?x-platform-protection-bypass=${SECRET}` }),
    lose: (host) => protect(host, { bypassHashes: [] }),
  },
  'a pause of the project': {
    ...{ protection: { sso: true }, enter: signedIn, lose: (host) => change(host, { status: 'paused' }) },
  },
  'a block of the account': { lose: (host) => change(host, { status: 'blocked' }) },
  'the deletion of the deployment': { lose: (host) => change(host, { status: 'deleted' }) },
  'the removal of the host': { lose: (host) => change(host, undefined) },
}

for (const [name, { protection, enter = () => ({}), lose }] of Object.entries(LOSSES))
  for (const { way, open, last } of WAYS)
    test(`${way}: ${name} ends it, and nothing before does`, async () => {
      const host = addSite(protection)
      const opened = await open(host, await enter(host))
      await minute()
      await minute()
      await opened.passes()
      // Another deployment under the same host is no reason.
      change(host, { deploymentId: 'dpl_next' })
      await minute()
      await opened.passes()
      lose(host)
      const rest = opened.rest()
      await minute()
      await minute()
      assert.equal(await rest, last)
    })

for (const { way, open } of WAYS)
  test(`${way}: nothing ends while nobody can tell who is let in`, async (t) => {
    t.after(() => {
      isAway = false
    })
    const host = addSite({ password: PASSWORD_PART })
    const opened = await open(host, { headers: await enterPassword(host) })
    isAway = true
    change(host, { status: 'paused' })
    await minute()
    await opened.passes()
    isAway = false
    const rest = opened.rest()
    await minute()
    await rest
  })

test('to ask again counts no wrong password, and takes no pass', async () => {
  const host = addSite({ password: PASSWORD_PART })
  const post = requestTo(host, '/events', { ...(await enterPassword(host)), ...FORM }, 'POST')
  post.on('error', () => {}) // The answer may be over before all of it was sent.
  post.write('a=b&')
  const posted = await answerTo(post)
  const open = addSite()
  const nonce = pass(open, 'alice')
  const followed = await openHttp1(open, { path: `/_platform/sso?nonce=${nonce}&url=/` })
  protect(host, { password: { ...PASSWORD_PART, version: 'v2' } })
  protect(open, { sso: true })
  const rests = Promise.all([posted.rest(), followed.rest()])
  await minute()
  post.end('_platform_password=wrong')
  assert.deepEqual(await rests, ['', ''])
  assert.equal(tries, 0)
  assert.ok(passes.has(hashBearer(nonce)))
})
