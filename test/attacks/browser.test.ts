import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { methodOf, pathOf } from '#contract/endpoint.ts'
import {
  type Attacked,
  callApi,
  installAttacked,
  onlyShort,
  signInAs,
  signUp,
  tried,
} from '#test/support/attacked.ts'
import { openChromium, withoutChromium } from '#test/support/browser/chromium.ts'
import { listEndpoints } from '#test/support/endpoints.ts'
import { freePort } from '#test/support/free-port.ts'

const OPERATOR = 'operator@aloft.test'

/** A page that does whatever a test tells it to. */
const HOSTILE = `<!doctype html><title>Hostile</title><body><h1>Hostile</h1>`
const WORKER = `self.addEventListener('fetch', (event) => event.respondWith(new Response('taken')))
self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))`
/** A function that tries to set cookies for everybody. */
const COOKIES = `module.exports = (req, res) => {
  const domain = req.query.domain
  res.setHeader('set-cookie', [
    'aloft_session=' + 'A'.repeat(24) + '; Path=/; Domain=' + domain,
    '__Host-aloft_session=' + 'A'.repeat(24) + '; Path=/; Secure; Domain=' + domain,
    'tossed=1; Path=/; Domain=' + domain,
  ])
  res.end('set')
}`

interface World {
  readonly aloft: Attacked
  /** Where the dashboard is. */
  readonly base: string
  /** Where a stranger's site is, under the platform's own domain. */
  readonly evil: string
  readonly domain: string
}

/** A browser in which the operator is signed in at the dashboard, and looks at a stranger's site of the same platform. */
function attackBrowser(name: string, open: () => Promise<World & { close(): Promise<void> }>): void {
  describe(`a hostile site in the operator's browser, ${name}`, () => {
    let world: World & { close(): Promise<void> }
    let browser: Browser
    let context: BrowserContext
    before(async () => {
      world = await open()
      browser = await openChromium({ names: '*.test' })
      context = await browser.newContext({ ignoreHTTPSErrors: true })
      await signInAs(world.aloft, await context.newPage(), world.base, OPERATOR)
    })
    after(async () => {
      await browser?.close()
      await world?.close()
    })

    const hostilePage = async (): Promise<Page> => {
      const page = await context.newPage()
      await page.goto(`${world.evil}/`)
      assert.equal(await page.title(), 'Hostile')
      return page
    }

    /** What the operator has: every change would be seen in it. */
    const holdings = async () => {
      const lists = await Promise.all(
        ['/v3/user/tokens', '/v9/projects?limit=100', '/v1/teams', '/v2/user', '/v5/domains'].map((path) =>
          callApi(world.aloft, `GET ${path}`),
        ),
      )
      return JSON.stringify(lists.map(({ body }) => body)).replace(/"activeAt":\d+/g, '')
    }

    /** Asked from the dashboard without its script, which leaves for the sign-in by itself where nobody is signed in. */
    const whoIsSignedIn = async (): Promise<string> => {
      const page = await context.newPage()
      await page.route('**/*.js', (route) => route.abort())
      await page.goto(`${world.base}/`)
      const email = await page.evaluate(
        `fetch('/v2/user').then((r) => r.json()).then((b) => b.user ? b.user.email : 'nobody')`,
      )
      await page.close()
      return String(email)
    }
    const isStillOperator = async (): Promise<boolean> => (await whoIsSignedIn()) === OPERATOR

    test('no request of its own changes anything in the name of the operator', async (t) => {
      const before = await holdings()
      const page = await hostilePage()
      const changing = listEndpoints().filter((row) => methodOf(row) !== 'GET')
      const attempts = changing.map((row) => ({
        method: methodOf(row),
        path: pathOf(row).replace(/:\w+/g, 'victim'),
      }))
      const late = await page.evaluate(
        `(async ({ base, attempts }) => {
          const body = JSON.stringify({ name: 'victim', email: 'evil@aloft.test', slug: 'victim', tokenName: 'x' })
          const left = attempts[Symbol.iterator]()
          const late = []
          // As many at once as a browser has connections to one host: one after the other takes minutes.
          const attack = async () => { for (const { method, path } of left) {
            const simple = { method: 'POST', mode: 'no-cors', credentials: 'include', body, headers: { 'content-type': 'text/plain' } }
            const inTime = () => ({ signal: AbortSignal.timeout(60_000) })
            const noted = (error) => { if (error.name === 'TimeoutError') late.push(method + ' ' + path) }
            await fetch(base + path, { ...simple, ...inTime() }).catch(noted)
            await fetch(base + path, { ...inTime(), method, mode: 'cors', credentials: 'include', body, headers: { 'content-type': 'application/json' } }).catch(noted)
            navigator.sendBeacon(base + path, body)
          } }
          await Promise.all(Array.from({ length: 6 }, attack))
          return late
        })(${JSON.stringify({ base: world.base, attempts })})`,
      )
      tried(t, attempts.length * 3)
      // As it does where the browser asks somebody for a password in our name.
      assert.deepEqual(late, [], 'a request waits')
      assert.equal(await holdings(), before)
      assert.ok(await isStillOperator())
      await page.close()
    })

    test('no form that it sends does, framed, sandboxed or not', async (t) => {
      const before = await holdings()
      const forms = [
        ['/logout', { csrf: '', next: '/' }],
        ['/logout', {}],
        ['/login', { email: 'evil@aloft.test', csrf: '', next: '/' }],
        ['/v3/user/tokens', { '{"name":"stolen","x":"': '"}' }],
        ['/oauth/authorize', { client_id: 'x', decision: 'allow' }],
        ['/v10/projects', { '{"name":"stolen","x":"': '"}' }],
      ] as const
      const kinds = onlyShort ? ['plain'] : ['urlencoded', 'plain', 'sandboxed']
      for (const [path, fields] of forms)
        for (const kind of kinds) {
          const page = await hostilePage()
          const markup = `<form method="post" action="${world.base}${path}" enctype="${kind === 'plain' ? 'text/plain' : 'application/x-www-form-urlencoded'}">${Object.entries(
            fields,
          )
            .map(([n, v]) => `<input name='${n}' value='${v}'>`)
            .join('')}</form><script>document.forms[0].submit()</script>`
          if (kind === 'sandboxed')
            await page.evaluate(`new Promise((done) => {
              const frame = document.createElement('iframe')
              frame.sandbox = 'allow-scripts allow-forms'
              frame.srcdoc = ${JSON.stringify(markup)}
              frame.onload = () => setTimeout(done, 100)
              document.body.append(frame)
            })`)
          else
            await Promise.all([
              page.waitForURL((url) => url.href.startsWith(world.base)),
              page.evaluate(`document.write(${JSON.stringify(markup)})`),
            ])
          await page.close()
        }
      tried(t, forms.length * kinds.length)
      assert.equal(await holdings(), before)
      assert.ok(await isStillOperator(), 'signed out by another site')
    })

    test('it reads nothing of the API or the dashboard', async (t) => {
      const page = await hostilePage()
      const paths = [
        '/v2/user',
        '/v3/user/tokens',
        '/v1/user/session',
        '/v1/operator/status',
        '/',
        '/metrics',
      ]
      const read = await page.evaluate(
        `Promise.all(${JSON.stringify(paths)}.flatMap((path) => ['include', 'omit'].map((credentials) =>
          fetch(${JSON.stringify(world.base)} + path, { credentials }).then((r) => r.text()).then((text) => path + ' ' + text.slice(0, 80), () => null))))`,
      )
      assert.deepEqual((read as unknown[]).filter(Boolean), [])
      // As a script, a style sheet, an image and a stream: what does not fail leaves nothing to be read.
      const leaks = await page.evaluate(
        `new Promise((done) => {
          const base = ${JSON.stringify(world.base)}
          const globals = new Set(Object.keys(window))
          const errors = []
          window.onerror = (message) => { errors.push(message); return true }
          const script = document.createElement('script')
          script.src = base + '/v3/user/tokens'
          const stream = new EventSource(base + '/v1/changes', { withCredentials: true })
          const told = []
          stream.onmessage = (event) => told.push(event.data)
          stream.onopen = () => told.push('open')
          const picture = new Image()
          picture.onload = () => told.push('picture')
          picture.src = base + '/favicon.svg'
          const finish = () => setTimeout(() => done({ told, errors: errors.filter((e) => /@|token/.test(e)), more: Object.keys(window).filter((key) => !globals.has(key) && key !== 'onerror') }), 300)
          script.onload = finish
          script.onerror = finish
          document.body.append(script)
        })`,
      )
      assert.deepEqual(leaks, { told: [], errors: [], more: [] })
      tried(t, paths.length * 2 + 3)
      await page.close()
    })

    test('it frames no page of ours', async (t) => {
      const page = await hostilePage()
      const paths = [
        '/',
        '/projects',
        '/login',
        '/logout',
        '/oauth/authorize?client_id=x',
        '/docs',
        '/sso?url=x',
      ]
      for (const path of paths) {
        const shown = await page.evaluate(`new Promise((done) => {
          const frame = document.createElement('iframe')
          frame.src = ${JSON.stringify(world.base + path)}
          frame.onload = () => done(true)
          frame.onerror = () => done(false)
          setTimeout(() => done(false), 5000)
          document.body.append(frame)
        })`)
        const frame = page.frames().at(-1)
        const text = shown ? await frame?.evaluate('document.documentElement.outerHTML').catch(() => '') : ''
        assert.doesNotMatch(String(text ?? ''), /Aloft/, `${path} is shown in a frame of another site`)
        assert.ok(!frame?.url().startsWith(world.base), `${path} was loaded in a frame: ${frame?.url()}`)
      }
      tried(t, paths.length)
      await page.close()
    })

    test('cookies that it sets for the whole domain take nobody’s session', async (t) => {
      const attacker = await signUp(world.aloft, `tosser-${world.domain}@aloft.test`)
      assert.ok(attacker.token)
      const own = await context.browser()?.newContext({ ignoreHTTPSErrors: true })
      assert.ok(own)
      const signing = await own.newPage()
      await signInAs(world.aloft, signing, world.base, `tosser-${world.domain}@aloft.test`)
      const taken = (await own.cookies()).find(({ name }) => name.endsWith('aloft_session'))
      assert.ok(taken)
      await own.close()

      const page = await hostilePage()
      await page.goto(`${world.evil}/api/cookies?domain=${world.domain}`)
      await page.goto(`${world.evil}/`)
      const plain = taken.name.replace('__Host-', '')
      const attempts = [plain, `__Host-${plain}`].flatMap((cookie) =>
        ['/', '/v2', '/v2/user', '/login'].map(
          (path) => `${cookie}=${taken.value}; Domain=${world.domain}; Path=${path}`,
        ),
      )
      for (const cookie of attempts) {
        await page.evaluate(`document.cookie = ${JSON.stringify(cookie)}`)
        await page.evaluate(`document.cookie = ${JSON.stringify(`${cookie}; Secure`)}`)
      }
      tried(t, attempts.length * 2 + 3)
      // They would be there for the tests that follow.
      const who = await whoIsSignedIn().finally(() => context.clearCookies({ domain: `.${world.domain}` }))
      // Over plain HTTP somebody may be signed out by it, but never becomes somebody else.
      const allowed =
        world.base.startsWith('https') || world.domain === 'localhost' ? [OPERATOR] : [OPERATOR, 'nobody']
      assert.ok(allowed.includes(who), who)
      await page.close()
    })

    test('a window that it opens tells it nothing, and messages to it do nothing', async (t) => {
      const before = await holdings()
      const page = await hostilePage()
      const told = await page.evaluate(`new Promise((done) => {
        const heard = []
        addEventListener('message', (event) => heard.push(event.data))
        const opened = open(${JSON.stringify(`${world.base}/`)})
        const messages = [{ type: 'logout' }, 'reload', { jsonrpc: '2.0', method: 'delete' }, null, 1]
        let n = 0
        const timer = setInterval(() => {
          try { for (const message of messages) opened.postMessage(message, '*') } catch {}
          if (++n < 10) return
          clearInterval(timer)
          let frames = 'severed'
          try { frames = opened.closed ? 'severed' : opened.length } catch {}
          done({ heard, frames })
        }, 100)
      })`)
      // The dashboard keeps to itself: whoever opened it has nothing to hold on to, where browsers trust the address.
      const severs = world.base.startsWith('https') || world.domain === 'localhost'
      assert.deepEqual(told, { heard: [], frames: severs ? 'severed' : 0 })
      tried(t, 5)
      assert.equal(await holdings(), before)
      for (const other of context.pages()) if (other !== page) await other.close()
      await page.close()
    })

    test('its service worker never sees the dashboard, nor can one be put there', async (t) => {
      const page = await hostilePage()
      const said = await page.evaluate(`(async () => {
        const base = ${JSON.stringify(world.base)}
        const tries = [['/worker.js', '/'], [base + '/worker.js', '/'], ['/worker.js', base + '/']]
        const said = []
        for (const [script, scope] of tries)
          said.push(await (navigator.serviceWorker
            ? navigator.serviceWorker.register(script, { scope }).then(({ scope }) => scope, (error) => error.name)
            : 'none'))
        return said
      })()`)
      const [own, script, scope] = said as string[]
      assert.ok(own === `${world.evil}/` || own === 'none' || own === 'SecurityError', own)
      for (const other of [script, scope])
        assert.ok(other === 'SecurityError' || other === 'TypeError' || other === 'none', other)
      assert.ok(await isStillOperator())
      tried(t, 3)
      await page.close()
    })

    test('a file of its own that the API shows is no page there', async (t) => {
      const { body: made } = await callApi(world.aloft, 'POST /v8/platform/deployments', {
        version: 2,
        name: 'shown',
        files: [{ file: 'index.html', data: '<script>document.title = "ran"</script>' }],
      })
      const { body: tree } = await callApi(world.aloft, `GET /v5/platform/deployments/${made.id}/files`)
      const page = await context.newPage()
      const paths = [
        `/v5/platform/deployments/${made.id}/files/${tree[0]?.uid}`,
        `/v5/platform/deployments/${made.id}/files`,
        '/v9/projects/<script>document.title="ran"</script>',
        '/<script>document.title="ran"</script>',
        '/login?next=javascript:document.title="ran"',
        '/oauth/authorize?client_id=<script>document.title="ran"</script>',
      ]
      for (const path of paths) {
        await page.goto(world.base + path).catch(() => {})
        assert.notEqual(await page.title(), 'ran', path)
      }
      tried(t, paths.length)
      await page.close()
    })

    test('a name of its own that leads to this machine gets no API', async (t) => {
      const page = await context.newPage()
      const { port, protocol } = new URL(world.base)
      const names = ['rebound.test', 'localhost.evil.test', `evil-${world.domain.replace('.test', '')}.test`]
      for (const name of names) {
        const answer = await page.goto(`${protocol}//${name}:${port}/v2/user`).catch(() => null)
        assert.ok(answer === null || answer.status() >= 400, name)
        assert.ok(!(await answer?.text().catch(() => ''))?.includes(OPERATOR), name)
      }
      tried(t, names.length)
      await page.close()
    })
  })
}

async function furnish(aloft: Attacked, base: string, domain: string): Promise<World> {
  const stranger = await signUp(aloft, `stranger-${domain}@aloft.test`)
  const { status, body } = await callApi(stranger, 'POST /v8/platform/deployments', {
    version: 2,
    name: 'hostile',
    files: [
      { file: 'index.html', data: HOSTILE },
      { file: 'worker.js', data: WORKER },
      { file: 'api/cookies.js', data: COOKIES },
    ],
  })
  assert.equal(status, 200, JSON.stringify(body))
  await callApi(stranger, `GET /v2/platform/deployments/${body.id}/events?follow=1&builds=1`)
  const { protocol, port } = new URL(base)
  return { aloft, base, domain, evil: `${protocol}//${body.url.replace(/:\d+$/, '')}:${port}` }
}

// Not the installation that other files attack: whatever changes in the operator's account counts as a success here.
describe('browsers', { skip: withoutChromium }, () => {
  attackBrowser('at localhost', async () => {
    const { aloft, close } = await installAttacked()
    return { ...(await furnish(aloft, `http://localhost:${aloft.port}`, 'localhost')), close }
  })
})

const atDomain = (scheme: 'http' | 'https') => async (): Promise<World & { close(): Promise<void> }> => {
  const ports = { port: await freePort(), tlsPort: await freePort() }
  const base = `${scheme}://aloft.test:${scheme === 'http' ? ports.port : ports.tlsPort}`
  const { aloft, close } = await installAttacked({
    ports,
    env: { ALOFT_DOMAIN: 'aloft.test', ALOFT_BASE_URL: base, ALOFT_API_HOSTS: 'aloft.test,127.0.0.1' },
  })
  return { ...(await furnish(aloft, base, 'aloft.test')), close }
}

describe('browsers at a domain', { skip: withoutChromium || onlyShort }, () => {
  attackBrowser('under one domain by HTTPS', atDomain('https'))
  attackBrowser('under one domain by plain HTTP', atDomain('http'))
})
