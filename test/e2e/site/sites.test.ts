import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openChromium, withoutChromium } from '#test/support/browser/chromium.ts'
import {
  type Installation,
  install,
  NOTHING_RUNS,
  TWO_SERVING,
  uninstall,
} from '#test/support/installation.ts'

/** Another address of this machine. */
const PROXY = '127.0.0.3'

const sha1 = (content: string | Buffer) => createHash('sha1').update(content).digest('hex')

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever the server answered
type Json = any

const call = async (
  at: Installation,
  on: string,
  body?: unknown,
): Promise<{ status: number; body: Json }> => {
  const [method, path] = on.split(' ') as [string, string]
  const response = await fetch(`${at.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${at.token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

const upload = (at: Installation, content: Buffer) =>
  fetch(`${at.url}/v2/platform/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${at.token}`, 'x-platform-digest': sha1(content) },
    body: content as unknown as string,
  })

const deploy = (at: Installation, files: object[], more: object = {}) =>
  call(at, 'POST /v8/platform/deployments?forceNew=1', { name: 'site', version: 2, files, ...more })

async function visit(
  at: Installation,
  host: string,
  path = '/',
  headers: Record<string, string> = {},
  agent?: Agent,
) {
  const asked = request({
    host: '127.0.0.1',
    port: at.port,
    path,
    headers: { host, ...headers },
    ...(agent ? { agent } : {}),
  })
  asked.end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return {
    status: response.statusCode,
    headers: response.headers,
    body: Buffer.concat(await response.toArray()),
  }
}

describe('sites of a running installation', () => {
  let at: Installation
  before(async () => {
    const env = { ALOFT_RATE_LIMIT: '1000000', ALOFT_TRUSTED_PROXIES: PROXY }
    at = await install({ env: { ...TWO_SERVING, ...NOTHING_RUNS, ...env } })
  })
  after(() => uninstall(at))

  test('an alias that moves under load never fails and never shows what it was not pointed to', async (t) => {
    const [a, b, other] = await Promise.all(
      ['A', 'B', 'other'].map(async (data) => (await deploy(at, [{ file: 'index.html', data }])).body),
    )
    const point = (id: string) => call(at, `POST /v2/platform/deployments/${id}/aliases`, { alias: 'switch' })
    assert.equal((await point(a.id)).status, 200)
    assert.ok(other.url)

    let moving = true
    let answers = 0
    const wrong: unknown[] = []
    const visitor = async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      while (moving) {
        const answer = await visit(at, 'switch.localhost', '/', {}, agent).catch((error: unknown) => error)
        answers++
        const body = answer instanceof Error ? answer.message : String((answer as { body: Buffer }).body)
        if (body !== 'A' && body !== 'B') wrong.push(body)
      }
      agent.destroy()
    }
    const visitors = Array.from({ length: 8 }, visitor)
    // `npm run test:faults -- --only aliases` has many more.
    const moves = process.env.ALOFT_TEST_LONG ? 1000 : 200
    for (let i = 1; i <= moves; i++) {
      const { status, body } = await point(i % 2 ? b.id : a.id)
      assert.deepEqual([status, body.oldId], [200, i % 2 ? a.id : b.id])
    }
    // The last move is seen by every process: many new connections reach all of them.
    for (let i = 0; i < 100; i++) {
      const seen = await Promise.all(
        Array.from({ length: 8 }, () => visit(at, 'switch.localhost', '/', { connection: 'close' })),
      )
      if (seen.every(({ body }) => String(body) === 'A')) break
      assert.ok(i < 99, 'a process still shows the old deployment')
      await pause(20)
    }
    moving = false
    await Promise.all(visitors)
    t.diagnostic(`${moves} moves, ${answers} answers`)
    assert.deepEqual(wrong, [])
    assert.ok(answers > moves)
  })

  test('10,000 files in one request, and one that is missing', async () => {
    const contents = Array.from({ length: 50 }, (_, i) => Buffer.from(`shared content ${i}`))
    for (const content of contents) assert.equal((await upload(at, content)).status, 200)
    const files = Array.from({ length: 10_000 }, (_, i) => {
      const content = contents[i % contents.length] as Buffer
      return { file: `folder-${i % 100}/file-${i}.txt`, sha: sha1(content), size: content.length }
    })
    const made = await deploy(at, files, { name: 'many' })
    assert.deepEqual([made.status, made.body.readyState], [200, 'READY'])
    assert.equal(
      String((await visit(at, made.body.url, '/folder-77/file-7777.txt')).body),
      'shared content 27',
    )
    const missing = await deploy(at, [...files, { file: 'x', sha: sha1('nobody'), size: 6 }], {
      name: 'many',
    })
    assert.deepEqual([missing.status, missing.body.error.missing], [400, [sha1('nobody')]])
  })

  test('100 MB go in and come out, whole and in part', async () => {
    const content = randomBytes(100 * 1000 * 1000)
    assert.equal((await upload(at, content)).status, 200)
    const { body } = await deploy(at, [{ file: 'big.bin', sha: sha1(content), size: content.length }])
    const whole = await visit(at, body.url, '/big.bin')
    assert.equal(sha1(whole.body), sha1(content))
    const part = await visit(at, body.url, '/big.bin', { range: 'bytes=99999990-' })
    assert.deepEqual([part.status, part.headers['content-range']], [206, 'bytes 99999990-99999999/100000000'])
    assert.deepEqual(part.body, content.subarray(99_999_990))
  })

  test('an upload that is cut off leaves nothing', async () => {
    const content = randomBytes(1000)
    const head = `POST /v2/platform/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${at.token}\r\nx-platform-digest: ${sha1(content)}\r\nContent-Length: 1000\r\n\r\n`
    const socket = connect(at.port, '127.0.0.1')
    socket.write(head)
    socket.write(content.subarray(0, 500))
    await pause(100)
    socket.destroy()
    await pause(100)
    const refused = await deploy(at, [{ file: 'cut', sha: sha1(content), size: 1000 }])
    assert.deepEqual([refused.status, refused.body.error.code], [400, 'missing_files'])

    // The same content slowly, a byte now and then, is fine.
    const slow = connect(at.port, '127.0.0.1')
    slow.write(head.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    for (let i = 0; i < 10; i++) {
      slow.write(content.subarray(i * 100, i * 100 + 100))
      await pause(20)
    }
    assert.match(Buffer.concat(await slow.toArray()).toString(), /^HTTP\/1\.1 200 /)
    assert.equal((await deploy(at, [{ file: 'cut', sha: sha1(content), size: 1000 }])).status, 200)
  })

  test('a browser shows a site, over HTTP and HTTPS', {
    skip: withoutChromium,
  }, async (t) => {
    const made = await deploy(at, [
      {
        file: 'index.html',
        data: '<!doctype html><title>Shop</title><link rel="stylesheet" href="s.css"><h1 id="h">before</h1><script src="a.js"></script>',
      },
      { file: 's.css', data: 'h1{color:rgb(1,2,3)}' },
      { file: 'a.js', data: 'h.textContent = "after " + location.protocol' },
    ])
    const browser = await openChromium()
    t.after(() => browser.close())
    const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
    for (const address of [
      `http://${made.body.url}:${at.port}/`,
      `https://${made.body.url}:${at.tlsPort}/`,
    ]) {
      await page.goto(address)
      assert.equal(await page.title(), 'Shop')
      assert.equal(await page.textContent('h1'), `after ${new URL(address).protocol}`)
      assert.equal(await page.evaluate('getComputedStyle(h).color'), 'rgb(1, 2, 3)')
    }
  })

  test('visits are in the log of the deployment, and can be followed', async () => {
    const { body } = await deploy(at, [{ file: 'index.html', data: 'logged' }])
    const abort = new AbortController()
    const followed = await fetch(`${at.url}/v2/platform/deployments/${body.id}/events?follow=1`, {
      headers: { authorization: `Bearer ${at.token}` },
      signal: abort.signal,
    })
    assert.match(followed.headers.get('content-type') ?? '', /application\/stream\+json/)
    for (let i = 0; i < 3; i++) await visit(at, body.url, `/?n=${i}`, { connection: 'close' })
    const texts: string[] = []
    let rest = ''
    for await (const chunk of followed.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      rest += chunk
      const lines = rest.split('\n')
      rest = lines.pop() as string
      texts.push(...lines.filter(Boolean).map((line) => JSON.parse(line).payload.text))
      if (texts.length >= 6) break
    }
    abort.abort()
    for (let i = 0; i < 3; i++) assert.ok(texts.includes(`GET /?n=${i}`), texts.join())
    const { body: entries } = await call(
      at,
      `GET /v2/platform/deployments/${body.id}/events?types=response&direction=backward&limit=1`,
    )
    assert.equal(entries.length, 1)
    assert.equal(entries[0].type, 'response')
  })

  test('behind a proxy, the log has the address that the proxy tells, and nobody else tells theirs', async () => {
    const { body } = await deploy(at, [{ file: 'index.html', data: 'by way of a proxy' }])
    const from = (localAddress: string, forwardedFor: string) =>
      visit(at, body.url, '/', { 'x-forwarded-for': forwardedFor }, new Agent({ localAddress }))
    await from('127.0.0.1', '203.0.113.9')
    await from(PROXY, '6.6.6.6, 203.0.113.9')
    const { body: project } = await call(at, 'GET /v9/projects/site')
    const seen = async (): Promise<string[]> => {
      const { body: logs } = await call(at, `GET /v1/projects/${project.id}/logs?deploymentId=${body.id}`)
      return logs.entries.map(({ ip }: Json) => ip)
    }
    while ((await seen()).length < 2) await pause(100)
    assert.deepEqual((await seen()).toSorted(), ['127.0.0.1', '203.0.113.9'])
  })
})

test('every acknowledged upload and deployment survives kill -9 of all processes', async (t) => {
  const at = await install({ env: { ...TWO_SERVING, ...NOTHING_RUNS, ALOFT_RATE_LIMIT: '1000000' } })
  t.after(() => uninstall(at))
  const uploads: Buffer[] = []
  const sites: { url: string; text: string }[] = []
  let running = true
  const uploader = async () => {
    while (running) {
      const content = randomBytes(200 + Math.floor(Math.random() * 100_000))
      const answer = await upload(at, content).catch(() => undefined)
      if (answer?.status === 200) uploads.push(content)
    }
  }
  const deployer = async () => {
    while (running) {
      const text = randomBytes(8).toString('hex')
      const answer = await deploy(at, [{ file: 'index.html', data: text }]).catch(() => undefined)
      if (answer?.status === 200) sites.push({ url: answer.body.url, text })
    }
  }
  const all = [uploader(), uploader(), uploader(), deployer(), deployer()]
  while (uploads.length < 60 || sites.length < 20) await pause(20)
  await at.kill()
  running = false
  await Promise.all(all)

  const again = await at.restart()
  const files = uploads.map((content, i) => ({ file: `${i}.bin`, sha: sha1(content), size: content.length }))
  const made = await deploy(again, files)
  assert.equal(made.status, 200, JSON.stringify(made.body.error))
  for (const [i, content] of uploads.entries())
    assert.deepEqual((await visit(again, made.body.url, `/${i}.bin`)).body, content)
  for (const { url, text } of sites) assert.equal(String((await visit(again, url)).body), text)
})
