/** What one visitor makes a site say is never said to another, by whatever the platform keeps for everybody. */
import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import { systemClock } from '#core/ports/system-clock.ts'
import { fastLaneOf } from '#src/process/compose/serving/build-handler.ts'
import { tried } from '#test/support/attacked.ts'
import { createEdgeWorld, createInstances, siteFunctions } from '#test/support/http/edge.ts'
import { rawExchange, start } from '#test/support/http/listener.ts'
import { createTestPrerenders } from '#test/support/prerenders.ts'

const HOST = 'victim.test'
const instances = await createInstances()
const { prerenders, remove } = await createTestPrerenders(systemClock)
const world = createEdgeWorld({ runner: instances.runner, prerenders })
after(async () => {
  await world.edge.close()
  await instances.close()
  await remove()
})

/** Programs put all of this into links, redirects and pages, because it comes from the platform. */
const TOLD = [
  'host',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-matched-path',
  'x-vercel-deployment-url',
]

await instances.start('told', (req: IncomingMessage, res: ServerResponse) => {
  res.setHeader('cache-control', 's-maxage=600')
  const told = TOLD.map((name) => `${name}=${req.headers[name]}`)
  res.end([req.method, req.url, ...told].join(' '))
})
world.addSite(HOST, {}, { functions: siteFunctions({ fn: { program: 'told' } }) })

interface Attack {
  /** In place of the path alone. */
  readonly target?: (path: string) => string
  readonly host?: string
  readonly lines?: readonly string[]
}

const ATTACKS: readonly Attack[] = [
  ...[
    `${HOST}:1`,
    `${HOST}:80`,
    `${HOST}:443`,
    `${HOST}:`,
    `${HOST}.`,
    HOST.toUpperCase(),
    `Victim.Test:65535`,
  ].map((host) => ({ host })),
  { target: (path) => `http://${HOST}:1${path}` },
  { target: (path) => `https://${HOST.toUpperCase()}${path}` },
  ...[
    'X-Forwarded-Host: evil.test',
    'X-Forwarded-Port: 1',
    'X-Forwarded-Proto: gopher',
    'X-Forwarded-Scheme: nothttps',
    'X-Forwarded-Server: evil.test',
    'X-Host: evil.test',
    'X-HTTP-Host-Override: evil.test',
    'Forwarded: host=evil.test;proto=gopher',
    'X-Original-URL: /evil',
    'X-Rewrite-URL: /evil',
    'X-Matched-Path: /evil',
    'X-Invoke-Path: /evil',
    'X-Now-Route-Matches: 1=evil',
    'X-Vercel-Deployment-Url: evil.test',
    'X-Aloft-Request-Id: evil',
    'X-HTTP-Method-Override: DELETE',
    'X-Middleware-Rewrite: /evil',
    'X-Prerender-Revalidate: evil',
    'Connection: host',
    'Connection: x-forwarded-host, x-matched-path',
    'Range: bytes=0-1',
    'If-None-Match: *',
    'Cookie: host=evil.test',
    'Authorization: Bearer evil',
    'Accept-Encoding: evil',
    'Upgrade: evil',
  ].map((line) => ({ lines: [line] })),
]

const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4)

for (const isFast of [false, true])
  test(`nothing that a visitor sends is in what others get: ${isFast ? 'fast path' : 'node:http'}`, async (t) => {
    const { port } = await start(t, {
      handle: world.edge.handle,
      ...(isFast ? { fastLane: fastLaneOf(world.edge) } : {}),
    })
    const ask = (target: string, host: string, lines: readonly string[] = []) => {
      const named = lines.some((line) => line.startsWith('Connection:')) ? [] : ['Connection: close']
      return rawExchange(
        port,
        `${[`GET ${target} HTTP/1.1`, `Host: ${host}`, ...named, ...lines].join('\r\n')}\r\n\r\n`,
        true,
      )
    }
    /** On a connection that is kept, as the fast path wants it. */
    const visit = async (path: string) =>
      bodyOf(await rawExchange(port, `GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`, true))
    const usual = (path: string) =>
      [
        ...['GET', path, `host=${HOST}`, `x-forwarded-host=${HOST}`, 'x-forwarded-proto=http'],
        ...[`x-forwarded-port=${port}`, 'x-matched-path=/fn', `x-vercel-deployment-url=${HOST}`],
      ].join(' ')
    // From now on answers of the function are looked for among those that are kept.
    const first = `/fn?first${isFast}`
    assert.equal(await visit(first), usual(first))
    for (const [n, { target = String, host = HOST, lines = [] }] of ATTACKS.entries()) {
      const path = `/fn?${isFast ? 'fast' : 'slow'}${n}`
      for (let times = 0; times < 2; times++) await ask(target(path), host, lines)
      const what = `${target(path)} ${host} ${lines}`
      for (let times = 0; times < 2; times++) assert.equal(await visit(path), usual(path), what)
    }
    tried(t, ATTACKS.length)
  })
