import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2'
import type { Socket } from 'node:net'
import { after, test } from 'node:test'
import { createMemoryLimiter } from '#adapters/limit-memory/memory-limiter.ts'
import type { SsoPass } from '#core/session/session.ts'
import { SITES_TOPIC, type Site, type SiteProtection } from '#core/site/site.ts'
import { hashBearer } from '#core/token/token.ts'
import { createTestClock } from '#test/support/clock.ts'
import {
  type Asked,
  ask,
  createEdgeWorld,
  createInstances,
  serveFast,
  serveHttp2,
  serveSlow,
  siteFunctions,
} from '#test/support/http/edge.ts'

const SECRET = 'secret-of-32-characters-01234567'
const PASSWORD = 'open sesame'
const passes = new Map<string, SsoPass>()
const members = new Set<string>()
const clock = createTestClock()
const instances = await createInstances()
const world = createEdgeWorld({
  runner: instances.runner,
  clock,
  protection: {
    key: Buffer.alloc(32, 1),
    signInUrl: 'http://aloft.test/sso',
    passes: {
      async take(hash, host, now) {
        const pass = passes.get(hash)
        if (pass === undefined || pass.host !== host || pass.expiresAt <= now) return undefined
        passes.delete(hash)
        return pass
      },
    },
    mayVisit: async (userId, ownerId) => members.has(`${userId} ${ownerId}`),
    openPassword: (sealed, projectId) => {
      assert.equal(sealed, `sealed for ${projectId}`)
      return PASSWORD
    },
    limiter: createMemoryLimiter({ clock }),
  },
})
const server = await serveSlow(world.edge)
after(async () => {
  await server.close()
  await world.edge.close()
  await instances.close()
})

const PASSWORD_PART = { sealed: 'sealed for prj_1', version: 'v1' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const HTML = { accept: 'text/html,*/*;q=0.8' }
let hosts = 0

/** A site of the test's own that is protected like this. */
function guarded(given: Partial<SiteProtection>, rest: Partial<Site> = {}): string {
  const host = `g${hosts++}.test`
  const protection = { optionsPaths: [], bypassHashes: [], sso: false, ...given }
  world.addSite(host, { 'index.html': 'inside', 'a.txt': 'a' }, { protection, ...rest })
  return host
}

const get = (host: string, path = '/', asked: Asked = {}) => ask(server.port, path, { host, ...asked })
const codeOf = ({ headers }: { headers: IncomingHttpHeaders }) => headers['x-platform-error']
const post = (host: string, password: string, path = '/', headers: Asked['headers'] = {}) =>
  get(host, path, {
    method: 'POST',
    headers: { ...FORM, ...headers },
    body: new URLSearchParams({ _platform_password: password }).toString(),
  })

function cookieIn(answer: { headers: IncomingHttpHeaders }): string {
  const [cookie = ''] = answer.headers['set-cookie'] ?? []
  return cookie.split(';')[0] as string
}

function pass(host: string, userId: string): string {
  const nonce = `nonce${passes.size}${hosts}`
  passes.set(hashBearer(nonce), {
    hash: hashBearer(nonce),
    host,
    userId,
    expiresAt: clock.now() + 300_000,
  })
  return nonce
}

const signIn = (host: string, userId: string, headers: Asked['headers'] = {}) =>
  get(host, `/_platform/sso?nonce=${pass(host, userId)}&url=%2Fa.txt`, { headers })

test('guards are asked in their order', async () => {
  const all = {
    trustedIps: { addresses: ['10.0.0.1'], mode: 'additional' as const },
    optionsPaths: ['/'],
    bypassHashes: [hashBearer(SECRET)],
    sso: true,
    password: PASSWORD_PART,
  }
  const redirect = { host: 'www.test', status: 308 as const }
  const withBypass = { headers: { 'x-platform-protection-bypass': SECRET } }
  const listed = { ...all, trustedIps: { addresses: ['127.0.0.1'], mode: 'additional' as const } }
  const { optionsPaths: _, ...noOptions } = listed
  const rows: [string, Partial<SiteProtection>, Partial<Site>, Asked, number, string | undefined][] = [
    ['deleted', all, { status: 'deleted', redirect }, withBypass, 410, 'DEPLOYMENT_DELETED'],
    ['blocked', all, { status: 'blocked', redirect }, withBypass, 402, 'DEPLOYMENT_DISABLED'],
    ['paused', all, { status: 'paused', redirect }, withBypass, 503, 'DEPLOYMENT_PAUSED'],
    ['sent elsewhere', all, { redirect }, withBypass, 308, undefined],
    ['from an address that is not listed', all, {}, withBypass, 404, 'DEPLOYMENT_NOT_FOUND'],
    ['an allowed OPTIONS request', listed, {}, { method: 'OPTIONS' }, 405, 'INVALID_REQUEST_METHOD'],
    ['an OPTIONS request that is not', noOptions, {}, { method: 'OPTIONS' }, 401, 'SSO_REQUIRED'],
    ['with a secret', listed, {}, withBypass, 200, undefined],
    [
      'with a secret, before it is ready',
      listed,
      { status: 'building' },
      withBypass,
      404,
      'DEPLOYMENT_NOT_READY',
    ],
    ['with nothing', listed, {}, {}, 401, 'SSO_REQUIRED'],
    ['with nothing, before it is ready', listed, { status: 'building' }, {}, 401, 'SSO_REQUIRED'],
    ['without sign-in', { ...listed, sso: false }, { status: 'failed' }, {}, 401, 'PASSWORD_REQUIRED'],
  ]
  for (const url of ['http://evil.test/', '*', '/%']) {
    assert.equal((await get(guarded(all), url, { method: 'OPTIONS' })).status, 404)
    assert.equal((await get(guarded(listed), url, { method: 'OPTIONS' })).status, 400)
  }
  for (const [name, protection, rest, asked, status, code] of rows) {
    const answer = await get(guarded(protection, rest), '/', asked)
    assert.deepEqual([name, answer.status, codeOf(answer)], [name, status, code])
  }
})

test('a domain that leads elsewhere keeps scheme, port, path and query', async () => {
  for (const status of [301, 302, 307, 308] as const) {
    const host = `redirect-${status}.test`
    world.addSite(host, { 'index.html': 'never' }, { redirect: { host: 'www.test', status } })
    const plain = await get(host, '/a/b%20c?d=e&f')
    assert.deepEqual([plain.status, plain.headers.location], [status, 'http://www.test/a/b%20c?d=e&f'])
    assert.equal(plain.headers['cache-control'], 'public, max-age=0, must-revalidate')
    const port = await ask(server.port, '//evil.test/', { host: `${host}:8080`, method: 'POST' })
    assert.deepEqual([port.status, port.headers.location], [status, 'http://www.test:8080//evil.test/'])
  }
})

test('addresses that are trusted are all that may come, or need nothing more', async () => {
  const rows: [string[], 'additional' | 'exclusive', Partial<SiteProtection>, number][] = [
    [['127.0.0.1'], 'additional', {}, 200],
    [['127.0.0.0/8'], 'additional', {}, 200],
    [['0.0.0.0/0'], 'additional', {}, 200],
    [['127.0.0.2', '127.0.0.0/32'], 'additional', {}, 404],
    [['127.0.0.1'], 'additional', { password: PASSWORD_PART }, 401],
    [['10.0.0.0/8'], 'additional', { password: PASSWORD_PART }, 404],
    [['127.0.0.1'], 'exclusive', { password: PASSWORD_PART, sso: true }, 200],
    [['10.0.0.0/8'], 'exclusive', {}, 404],
    [['10.0.0.0/8'], 'exclusive', { password: PASSWORD_PART }, 401],
    [['10.0.0.0/8'], 'exclusive', { sso: true }, 401],
  ]
  for (const [addresses, mode, rest, status] of rows) {
    const host = guarded({ trustedIps: { addresses, mode }, ...rest })
    assert.equal((await get(host)).status, status, `${addresses} ${mode}`)
  }
  const unknown = await ask(server.port, '/', { host: 'unknown.test' })
  const hidden = await get(
    guarded({ trustedIps: { addresses: ['10.0.0.1'], mode: 'additional' } }, { environment: 'preview' }),
  )
  const alike = ({ headers }: { headers: IncomingHttpHeaders }) =>
    JSON.stringify({ ...headers, date: '', 'x-platform-id': '', 'x-vercel-id': '' })
  assert.equal(alike(hidden), alike(unknown), 'it looks like a host that nobody has')
})

test('OPTIONS requests pass by the path that they mean, others do not', async () => {
  const host = guarded({ optionsPaths: ['/api', '/x/'], password: PASSWORD_PART })
  const statusOf = async (path: string, method = 'OPTIONS') => (await get(host, path, { method })).status
  assert.deepEqual(
    await Promise.all(['/api', '/api/b?c', '/apis', '/x/y'].map((path) => statusOf(path))),
    [404, 404, 404, 404],
  )
  assert.deepEqual(
    await Promise.all(['/', '/x', '/api/../a.txt', '/api/%2e%2e/a.txt'].map((path) => statusOf(path))),
    [401, 401, 401, 401],
  )
  assert.equal(await statusOf('/api', 'GET'), 401)
})

test('whoever has a secret passes, and functions never see it', async () => {
  const host = guarded({
    bypassHashes: [hashBearer('another'), hashBearer(SECRET)],
    sso: true,
    password: PASSWORD_PART,
  })
  await instances.start(host, (req: IncomingMessage, res: ServerResponse) =>
    res.end(JSON.stringify({ url: req.url, headers: req.headers })),
  )
  const site = world.sites.get(host) as Site
  world.sites.set(host, { ...site, functions: siteFunctions({ api: { program: host } }) })
  world.visits.length = 0
  const given = `x-platform-protection-bypass=${SECRET}`
  const otherName = 'x-vercel-protection-bypass'
  for (const secret of [SECRET, 'wrong'])
    for (const [path, headers] of [
      ['/', { [otherName]: secret }],
      [`/?${otherName}=${secret}`, {}],
    ] as const)
      assert.equal((await get(host, path, { headers })).status, secret === SECRET ? 200 : 401, path)
  const seen = JSON.parse((await get(host, `/api?a=1&${given}&b=%20`)).text)
  assert.equal(seen.url, '/api?a=1&b=%20')
  assert.equal(JSON.parse((await get(host, `/api?${given}`)).text).url, '/api')
  for (const wrong of ['x', SECRET.slice(1), `${SECRET}x`, 'a'.repeat(300)])
    assert.equal((await get(host, '/', { headers: { 'x-platform-protection-bypass': wrong } })).status, 401)
  assert.equal((await get(host, `/?x%2Dplatform-protection-bypass=${SECRET}`)).status, 401)

  const kept = await get(host, '/api', {
    headers: { 'x-platform-protection-bypass': SECRET, 'x-platform-set-bypass-cookie': 'true' },
  })
  assert.equal(kept.status, 200)
  assert.ok(!kept.text.includes(SECRET), 'nor the header')
  const cookie = cookieIn(kept)
  const again = await get(host, '/api', { headers: { cookie: `a=b; ${cookie}; c=d` } })
  assert.equal(JSON.parse(again.text).headers.cookie, 'a=b; c=d')
  const cleaned = await get(host, `/api?a=1&${given}&x-platform-set-bypass-cookie=samesitenone`)
  assert.deepEqual([cleaned.status, cleaned.headers.location], [307, `http://${host}/api?a=1`])
  assert.match(cleaned.headers['set-cookie']?.[0] ?? '', /; HttpOnly; Secure; SameSite=None$/)
  const paths = world.visits.map(({ path }) => path).filter((path) => path.includes(SECRET))
  assert.deepEqual(paths, [`/?x%2Dplatform-protection-bypass=${SECRET}`], 'it is in no log but as a mistake')

  const other = guarded({ bypassHashes: [hashBearer(SECRET)], sso: true })
  assert.equal((await get(other, '/', { headers: { cookie } })).status, 401, 'for one host alone')
  world.sites.set(host, { ...site, protection: { optionsPaths: [], bypassHashes: [], sso: true } })
  world.bus.publish(SITES_TOPIC, host)
  assert.equal(
    (await get(host, '/', { headers: { cookie } })).status,
    401,
    'a revoked secret is worth nothing',
  )
})

test('browsers are sent to sign in, and all else is refused', async () => {
  const host = guarded({ sso: true })
  const browser = await get(host, '/a?b=c&d', { headers: HTML })
  const url = encodeURIComponent(`http://${host}/a?b=c&d`)
  assert.deepEqual([browser.status, browser.headers.location], [302, `http://aloft.test/sso?url=${url}`])
  assert.equal(browser.headers['cache-control'], 'private, no-store')
  for (const asked of [{}, { headers: HTML, method: 'POST' }, { headers: { accept: '*/*' } }]) {
    const refused = await get(host, '/', asked)
    assert.deepEqual([refused.status, codeOf(refused)], [401, 'SSO_REQUIRED'])
    assert.equal(refused.headers['cache-control'], 'private, no-store')
  }
})

test('a member who comes back with a pass is let in, once and on one host', async () => {
  const host = guarded({ sso: true })
  members.add('alice owner_1')
  const nonce = pass(host, 'alice')
  const other = guarded({ sso: true })
  assert.equal(codeOf(await get(other, `/_platform/sso?nonce=${nonce}&url=/`)), 'SSO_PASS_INVALID')
  const back = await get(host, `/_platform/sso?nonce=${nonce}&url=%2Fa.txt%3Fb`)
  assert.deepEqual([back.status, back.headers.location], [303, `http://${host}/a.txt?b`])
  assert.match(
    back.headers['set-cookie']?.[0] ?? '',
    /^_platform_jwt=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/,
  )
  const cookie = cookieIn(back)
  const inside = await get(host, '/', { headers: { cookie } })
  assert.deepEqual(
    [inside.text, inside.headers['cache-control']],
    ['inside', 'private, max-age=0, must-revalidate'],
  )
  assert.equal((await get(host, '/', { headers: { cookie: `_platform_jwt=tossed; ${cookie}` } })).status, 200)
  assert.equal(codeOf(await get(host, `/_platform/sso?nonce=${nonce}&url=/`)), 'SSO_PASS_INVALID')
  assert.equal((await get(other, '/', { headers: { cookie } })).status, 401)
  const [head, payload, signature] = cookie.split('.') as [string, string, string]
  const forged = Buffer.from(payload, 'base64url').toString().replace('alice', 'mallory')
  const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')
  for (const token of [
    `${head}.${Buffer.from(forged).toString('base64url')}.${signature}`,
    `_platform_jwt=${none}.${payload}.`,
    `${head}.${payload}.`,
    `${head}.${payload}.${signature}.x`,
  ])
    assert.equal((await get(host, '/', { headers: { cookie: token } })).status, 401)

  members.delete('alice owner_1')
  assert.equal((await get(host, '/', { headers: { cookie } })).status, 200, 'for a minute')
  clock.advance(61_000)
  assert.equal((await get(host, '/', { headers: { cookie } })).status, 401, 'and not for longer')
  assert.equal(codeOf(await signIn(host, 'alice')), 'SSO_NO_ACCESS')
  members.add('alice owner_1')
  const returned = await signIn(host, 'alice')
  assert.equal(returned.status, 303, 'a new member does not wait for that minute')
  clock.advance(7 * 24 * 3600_000)
  assert.equal((await get(host, '/', { headers: { cookie: cookieIn(returned) } })).status, 401)
})

test('a pass leads to paths of the host, and nowhere else', async () => {
  const host = guarded({ sso: true })
  members.add('bob owner_1')
  for (const url of [
    '//evil.test',
    '/\\evil.test',
    'http://evil.test/',
    'evil',
    '/\t/evil.test',
    '/a\r\nb: c',
  ]) {
    const answer = await get(host, `/_platform/sso?nonce=${pass(host, 'bob')}&url=${encodeURIComponent(url)}`)
    assert.deepEqual([answer.status, answer.headers.location], [400, undefined], url)
  }
})

test('the password opens the site until it is changed', async () => {
  const host = guarded({ password: PASSWORD_PART }, { environment: 'preview' })
  const form = await get(host, '/a.txt?b', { headers: HTML })
  assert.deepEqual([form.status, codeOf(form)], [401, 'PASSWORD_REQUIRED'])
  assert.match(form.text, /<form method="post">[\s\S]*name="_platform_password"/)
  assert.match(String(form.headers['content-security-policy']), /form-action 'self'/)
  assert.equal(form.headers['cache-control'], 'private, no-store')
  const wrong = await post(host, 'wrong', '/a.txt', HTML)
  assert.deepEqual([wrong.status, codeOf(wrong)], [401, 'PASSWORD_WRONG'])
  assert.match(wrong.text, /Incorrect password/)
  assert.equal(wrong.headers['set-cookie'], undefined)
  const right = await post(host, PASSWORD, '//evil.test/?b')
  assert.deepEqual([right.status, right.headers.location], [303, `http://${host}//evil.test/?b`])
  const cookie = cookieIn(right)
  assert.equal((await get(host, '/', { headers: { cookie } })).text, 'inside')
  const site = world.sites.get(host) as Site
  const password = { ...PASSWORD_PART, version: 'v2' }
  world.sites.set(host, { ...site, protection: { optionsPaths: [], bypassHashes: [], sso: false, password } })
  world.bus.publish(SITES_TOPIC, host)
  assert.equal((await get(host, '/', { headers: { cookie } })).status, 401)
})

test('what is posted and is no small form is refused without being read', async () => {
  const host = guarded({ password: PASSWORD_PART })
  const body = `_platform_password=${encodeURIComponent(PASSWORD)}`
  const statusOf = async (headers: Asked['headers'], sent: string) =>
    (await get(host, '/', { method: 'POST', headers: headers ?? {}, body: sent })).status
  assert.equal(await statusOf({}, body), 401)
  assert.equal(
    await statusOf({ 'content-type': 'application/json' }, JSON.stringify({ _platform_password: PASSWORD })),
    401,
  )
  assert.equal(await statusOf(FORM, `${body}&x=${'x'.repeat(5000)}`), 401)
  assert.equal(await statusOf(FORM, 'a=b'), 401)
  assert.equal(await statusOf({ 'content-type': `${FORM['content-type']}; charset=utf-8` }, body), 303)
})

test('guessing is stopped, however many try at once, and goes on later', async () => {
  const password = { sealed: 'sealed for prj_guessed', version: 'v1' }
  const host = guarded({ password }, { projectId: 'prj_guessed' })
  const tries = await Promise.all(Array.from({ length: 15 }, (_, i) => post(host, `guess ${i}`)))
  const counts = new Map<unknown, number>()
  for (const answer of tries) counts.set(codeOf(answer), (counts.get(codeOf(answer)) ?? 0) + 1)
  assert.deepEqual(Object.fromEntries(counts), { PASSWORD_WRONG: 10, TOO_MANY_TRIES: 5 })
  const stopped = await post(host, PASSWORD)
  assert.equal(stopped.status, 429)
  const seconds = Number(stopped.headers['retry-after'])
  assert.ok(seconds > 0 && seconds <= 600)
  clock.advance(seconds * 1000 + 1)
  assert.equal((await post(host, PASSWORD)).status, 303)
})

test('where both are asked for, both are needed', async () => {
  const host = guarded({ sso: true, password: PASSWORD_PART })
  members.add('carol owner_1')
  assert.equal(codeOf(await post(host, PASSWORD)), 'SSO_REQUIRED')
  const signedIn = cookieIn(await signIn(host, 'carol'))
  assert.equal(codeOf(await get(host, '/', { headers: { cookie: signedIn } })), 'PASSWORD_REQUIRED')
  const both = cookieIn(await post(host, PASSWORD, '/', { cookie: signedIn }))
  assert.equal((await get(host, '/', { headers: { cookie: both } })).text, 'inside')
})

test('what functions say to shared caches does not leave a protected site', async () => {
  const host = guarded({ password: PASSWORD_PART })
  await instances.start(host, (req, res) => {
    const caching = decodeURIComponent(req.url?.split('?')[1] ?? '')
    res.writeHead(200, { ...(caching && { 'cache-control': caching }), 'cdn-cache-control': 'max-age=9' })
    res.end('made')
  })
  const site = world.sites.get(host) as Site
  world.sites.set(host, { ...site, functions: siteFunctions({ api: { program: host } }) })
  const cookie = cookieIn(await post(host, PASSWORD))
  for (const [said, shown] of [
    ['', 'private, max-age=0, must-revalidate'],
    ['public, s-maxage=60, max-age=5', 'private, max-age=5'],
    ['private, max-age=5', 'private, max-age=5'],
    ['no-store', 'private, no-store'],
  ] as const) {
    const { headers } = await get(host, `/api?${encodeURIComponent(said)}`, { headers: { cookie } })
    assert.deepEqual([headers['cache-control'], headers['cdn-cache-control']], [shown, undefined])
  }
})

test('answers that are kept for everyone are still only for those who are let in', async () => {
  const host = guarded({ password: PASSWORD_PART })
  let made = 0
  await instances.start(host, (_, res) => res.end(`made ${++made}`))
  const site = world.sites.get(host) as Site
  const prerender = { expiration: 60, passQuery: false }
  world.sites.set(host, { ...site, functions: siteFunctions({ page: { program: host, prerender } }) })
  assert.equal((await get(host, '/page')).status, 401)
  assert.equal(made, 0)
  const cookie = cookieIn(await post(host, PASSWORD))
  for (const from of ['MISS', 'HIT']) {
    const { text, headers } = await get(host, '/page', { headers: { cookie } })
    assert.deepEqual([text, headers['x-vercel-cache']], ['made 1', from])
    assert.equal(headers['cache-control'], 'private, max-age=0, must-revalidate')
  }
  assert.equal((await get(host, '/page')).status, 401)
})

test('the fast ways serve no protected site, from the moment that it is', async (t) => {
  const fast = await serveFast(world.edge)
  const http2 = await serveHttp2(world.edge)
  const session = connectHttp2(`http://127.0.0.1:${http2.port}`)
  t.after(async () => {
    session.destroy()
    await Promise.all([fast.close(), http2.close()])
  })
  const askHttp2 = async (host: string, headers: Record<string, string> = {}) => {
    const stream = session.request({ ':path': '/a.txt', ':authority': host, ...headers })
    const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status': number }]
    const body = Buffer.concat(await stream.toArray()).toString()
    return { status: answer[':status'], headers: answer, body }
  }
  const host = guarded({})
  const { protection, ...open } = world.sites.get(host) as Site
  world.sites.set(host, open)
  for (let i = 0; i < 3; i++) {
    assert.equal((await ask(fast.port, '/a.txt', { host })).text, 'a')
    assert.equal((await askHttp2(host)).body, 'a')
  }
  assert.equal(protection?.sso, false)
  world.sites.set(host, { ...open, protection: { ...protection, password: PASSWORD_PART } as SiteProtection })
  world.bus.publish(SITES_TOPIC, host)
  assert.equal((await ask(fast.port, '/a.txt', { host })).status, 401)
  assert.deepEqual([(await askHttp2(host)).status], [401])
  const stream = session.request({ ':path': '/a.txt', ':authority': host, ':method': 'POST', ...FORM })
  stream.end(`_platform_password=${encodeURIComponent(PASSWORD)}`)
  const [entered] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status': number }]
  stream.resume()
  assert.equal(entered[':status'], 303)
  const cookie = cookieIn({ headers: entered })
  assert.equal((await askHttp2(host, { cookie })).body, 'a')
  assert.equal((await ask(fast.port, '/a.txt', { host, headers: { cookie } })).text, 'a')
})

test('another protocol is spoken with those who are let in alone, and the cookie stays here', async () => {
  const host = guarded({ password: PASSWORD_PART })
  const instance = await instances.start(host, (_, res) => res.end('ordinary'))
  instance.server.on('upgrade', (req: IncomingMessage, socket: Socket) =>
    socket.end(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\nx-cookie: ${req.headers.cookie}\r\n\r\n`,
    ),
  )
  const site = world.sites.get(host) as Site
  world.sites.set(host, { ...site, functions: siteFunctions({ api: { program: host } }) })
  const upgrade = { connection: 'Upgrade', upgrade: 'x' }
  assert.equal((await get(host, '/api', { headers: upgrade })).status, 401)
  const cookie = `${cookieIn(await post(host, PASSWORD))}; theirs=1`
  const req = request({
    ...{ port: server.port, host: '127.0.0.1', path: '/api', agent: false },
    headers: { host, cookie, ...upgrade },
  })
  req.end()
  const [res, socket] = (await once(req, 'upgrade')) as [IncomingMessage, Socket]
  socket.destroy()
  assert.equal(res.headers['x-cookie'], 'theirs=1')
})

test('the cookie does not reach what is proxied to, nor functions on the fast path of an open site', async (t) => {
  const host = `open${hosts++}.test`
  const upstream = await instances.start(host, (req, res) => res.end(JSON.stringify(req.headers)))
  assert.ok(upstream.socket)
  world.addSite(host, {}, { functions: siteFunctions({ api: { program: host } }) })
  const fast = await serveFast(world.edge)
  t.after(() => fast.close())
  for (let i = 0; i < 2; i++) {
    const { text } = await ask(fast.port, '/api', {
      host,
      headers: { cookie: 'a=b; _platform_jwt=x.y.z; c=d' },
    })
    assert.equal(JSON.parse(text).cookie, 'a=b; c=d')
    const none = await ask(fast.port, '/api', { host, headers: { cookie: '_platform_jwt=x.y.z' } })
    assert.equal(JSON.parse(none.text).cookie, undefined)
  }
  const target = await serveSlow({
    ...world.edge,
    handle: (req, res) => void res.end(JSON.stringify(req.headers)),
  })
  t.after(() => target.close())
  const away = `away${hosts++}.test`
  world.addSite(away, {}, { routes: [{ src: '/p', dest: `http://127.0.0.1:${target.port}/` }] })
  const { text } = await get(away, '/p', { headers: { cookie: '_platform_jwt=x.y.z; e=f' } })
  assert.equal(JSON.parse(text).cookie, 'e=f')
})
