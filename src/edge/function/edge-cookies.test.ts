import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import {
  ask,
  createEdgeWorld,
  createInstances,
  serveFast,
  serveSlow,
  siteFunctions,
} from '#test/support/http/edge.ts'
import { ownCookies } from './own-cookies.ts'

const instances = await createInstances()
const world = createEdgeWorld({ runner: instances.runner })
const [slow, fast] = [await serveSlow(world.edge), await serveFast(world.edge)]
after(async () => {
  await slow.close()
  await fast.close()
  await world.edge.close()
  await instances.close()
})

const HOST = 'site.aloft.test'
const SENT = [
  'plain=1; Path=/; HttpOnly',
  'wide=1; Domain=aloft.test; Path=/',
  'dotted=1; path=/; DOMAIN = .Aloft.test ; Secure',
  'sibling=1; domain=other.aloft.test',
  'above=1; domain=test',
  `own=1; domain=${HOST}`,
  'elsewhere=1; domain=example.com',
  'twice=1; domain=site.aloft.test; domain=aloft.test',
  'domain=aloft.test',
]
const GOT = [
  'plain=1; Path=/; HttpOnly',
  'wide=1; Path=/',
  'dotted=1; path=/; Secure',
  'sibling=1',
  'above=1',
  `own=1; domain=${HOST}`,
  'elsewhere=1; domain=example.com',
  'twice=1; domain=site.aloft.test',
  'domain=aloft.test',
]

const cookiesAt = async (path: string, port: number, host = HOST) =>
  (await ask(port, path, { host })).headers['set-cookie']

await instances.start('cookies', (_, res) => {
  res.setHeader('set-cookie', SENT)
  res.end('x')
})

test('a function sets cookies for its own host alone, whichever way its answer takes', async () => {
  const functions = siteFunctions({ page: { program: 'cookies' } })
  world.addSite(HOST, {}, { functions, platformDomain: 'aloft.test' })
  for (const { port } of [slow, fast, fast]) assert.deepEqual(await cookiesAt('/page', port), GOT)
})

test('so do headers of routes, for files, functions and redirects', async () => {
  const host = 'routes.aloft.test'
  const headers = { 'set-cookie': 'a=1; Domain=aloft.test; Secure' }
  world.addSite(
    host,
    { 'index.html': 'x' },
    {
      ...{ platformDomain: 'aloft.test', functions: siteFunctions({ page: { program: 'quiet' } }) },
      routes: [
        { src: '/away', status: 302, headers: { ...headers, Location: '/' } },
        { src: '/.*', headers, continue: true },
      ],
    },
  )
  await instances.start('quiet', (_, res) => void res.end('x'))
  for (const path of ['/', '/page', '/away'])
    for (const { port } of [slow, fast, fast])
      assert.deepEqual(await cookiesAt(path, port, host), ['a=1; Secure'], path)
})

test('so does whoever is asked by a rewrite', async (t) => {
  const other = createServer((_, res) => {
    res.setHeader('set-cookie', SENT)
    res.end('x')
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  t.after(() => other.close())
  const dest = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`
  world.addSite('proxy.aloft.test', {}, { platformDomain: 'aloft.test', routes: [{ src: '/.*', dest }] })
  const got = GOT.map((cookie) => (cookie.startsWith('own=') ? 'own=1' : cookie))
  got[got.indexOf('twice=1; domain=site.aloft.test')] = 'twice=1'
  assert.deepEqual(await cookiesAt('/', slow.port, 'proxy.aloft.test'), got)
})

test('a site at a domain of its own sets cookies for that domain, and never for the platform', () => {
  const cookies = (host: string, ...given: string[]) =>
    ownCookies(['set-cookie', given], { host, platformDomain: 'apps.corp.example' })[1]
  assert.deepEqual(cookies('www.shop.example', 'a=1; Domain=shop.example'), ['a=1; Domain=shop.example'])
  assert.deepEqual(cookies('x.corp.example', 'a=1; Domain=corp.example'), ['a=1'])
  const untouched = ['x-a', 'b', 'set-cookie', 'c=1; Path=/']
  assert.equal(
    ownCookies(untouched, { host: 'a.apps.corp.example', platformDomain: 'apps.corp.example' }),
    untouched,
  )
})
