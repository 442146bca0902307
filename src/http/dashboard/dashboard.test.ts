import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
    const again = await fetch(asset, { headers: { 'if-none-match': plain.headers.get('etag') ?? '' } })
    assert.equal(again.status, 304)
  })
})
