import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { createDashboard, PAGE } from './dashboard.ts'

describe('what the dashboard was built into', () => {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-dashboard-'))
  let server: Server
  let url: string
  before(async () => {
    mkdirSync(join(folder, 'assets'))
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Aloft</title>')
    writeFileSync(join(folder, 'assets/app-1a2b.js'), 'export {}')
    writeFileSync(join(folder, 'assets/app-1a2b.js.br'), 'shrunk')
    writeFileSync(join(folder, '.made-of'), 'a digest')
    const dashboard = createDashboard(folder, 'https://aloft.test')
    assert.ok(dashboard)
    server = createServer((req, res) => void (dashboard(req, res) || res.writeHead(404).end('the API')))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })

  test('is nothing while it was not built', () => {
    assert.equal(createDashboard(join(folder, 'nowhere'), 'https://aloft.test'), undefined)
  })

  test('every page begins with the same document, which may run nothing but our own files', async () => {
    for (const path of [
      '/',
      '/a/ada',
      '/a/ada/projects/site?tab=logs',
      '/account',
      '/new/clone?repository-url=x',
      '/operator/jobs',
    ]) {
      const answer = await fetch(url + path)
      assert.equal(answer.status, 200, path)
      assert.match(await answer.text(), /<title>Aloft/)
      const policy = answer.headers.get('content-security-policy') ?? ''
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/)
      assert.doesNotMatch(policy, /unsafe|https?:/)
      assert.equal(answer.headers.get('cache-control'), 'no-cache')
      assert.equal(answer.headers.get('cross-origin-opener-policy'), 'same-origin')
    }
  })

  test('what browsers keep of it stands in for its own pages alone', () => {
    const worker = readFileSync(join(import.meta.dirname, '../../dashboard/public/worker.js'), 'utf8')
    assert.ok(worker.includes(`const PAGE = ${PAGE}`))
  })

  test('what is large goes out in pieces, no faster than it is taken', async () => {
    const bytes = Buffer.alloc(2 * 1024 * 1024, 'export {};')
    writeFileSync(join(folder, 'assets/large-3c4d.js'), bytes)
    const dashboard = createDashboard(folder, 'https://aloft.test')
    const given: Buffer[] = []
    let goOn = () => {}
    const res = new Writable({
      write(chunk: Buffer, _, done) {
        given.push(chunk)
        goOn = done
      },
    })
    Object.assign(res, { writeHead: () => res })
    const req = { method: 'GET', url: '/assets/large-3c4d.js', headers: {} } as IncomingMessage
    assert.ok(dashboard?.(req, res as unknown as ServerResponse))
    for (let n = 0; n < 20; n++) await new Promise(setImmediate)
    assert.ok(
      res.writableLength <= 256 * 1024,
      `${res.writableLength} bytes wait for somebody who takes none`,
    )
    const over = once(res, 'finish')
    const taking = setInterval(() => {
      const one = goOn
      goOn = () => {}
      one()
    }, 0)
    await over
    clearInterval(taking)
    assert.ok(Buffer.concat(given).equals(bytes))
  })

  test('leaves to the API what is not its own', async () => {
    for (const path of [
      '/v2/user',
      '/domains',
      '/teams',
      '/apple',
      '/accounting',
      '/.made-of',
      '/index.html',
    ])
      assert.equal((await fetch(url + path)).status, 404, path)
    assert.equal((await fetch(`${url}/projects/transfer-request/x`, { method: 'PUT' })).status, 404)
    assert.equal((await fetch(`${url}/assets/%2e%2e/.made-of`)).status, 404)
  })

  test('assets are kept for good and sent as small as the browser takes them', async () => {
    const asset = `${url}/assets/app-1a2b.js`
    const plain = await fetch(asset, { headers: { 'accept-encoding': 'identity' } })
    assert.equal(await plain.text(), 'export {}')
    assert.match(plain.headers.get('cache-control') ?? '', /immutable/)
    const small = await fetch(asset, { method: 'HEAD', headers: { 'accept-encoding': 'gzip, br' } })
    assert.equal(small.headers.get('content-encoding'), 'br')
    assert.equal(small.headers.get('content-length'), '6')
    const refused = await fetch(asset, { headers: { 'accept-encoding': 'br;q=0' } })
    assert.equal(refused.headers.get('content-encoding'), null)
    const etag = plain.headers.get('etag')
    // As browsers and proxies before it send it, which may have compressed it themselves.
    for (const sent of [`${etag}`, `W/${etag}`, `"other", ${etag}`])
      assert.equal((await fetch(asset, { headers: { 'if-none-match': sent } })).status, 304, sent)
    assert.equal((await fetch(asset, { headers: { 'if-none-match': '"other"' } })).status, 200)
  })
})
