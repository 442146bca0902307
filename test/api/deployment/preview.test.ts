import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiSuite } from '#test/support/api-suite.ts'
import { follow } from '#test/support/follow.ts'
import type { Account, TestServer } from '#test/support/server.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

interface SiteFile {
  readonly file: string
  readonly data: string
  readonly encoding?: 'base64'
}

const png = (file: string): SiteFile => ({ file, data: PNG, encoding: 'base64' })
const page = (head: string): SiteFile => ({ file: 'index.html', data: `<!doctype html><head>${head}</head>` })

let names = 0

async function deploy(
  server: TestServer,
  { token }: Account,
  files: readonly SiteFile[],
  more: object = { target: 'production' },
) {
  const { status, body } = await server.call('POST /v8/platform/deployments', {
    token,
    body: { name: `seen${++names}`, version: 2, files, ...more },
  })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const preview = async (server: TestServer, { token }: Account, id: string, headers = {}) => {
  const response = await fetch(`${server.url}/v1/deployments/${id}/preview`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  return { status: response.status, headers: response.headers, bytes, text: bytes.toString('utf8') }
}

apiSuite('previews', (server) => {
  test('production gets the icon that its page names, by a job', async () => {
    const me = await server.signUp()
    const site = [page('<link rel="stylesheet" href="/x.css"><LINK href=/a.png rel="shortcut icon">')]
    const { id, url } = await deploy(server, me, [...site, png('a.png')])
    await server.runJobs()
    for (const name of [id, url]) {
      const answer = await preview(server, me, name)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.headers.get('content-type'), 'image/png')
      assert.equal(answer.headers.get('x-aloft-preview'), 'icon')
      assert.match(answer.headers.get('cache-control') ?? '', /^private\b/)
      assert.deepEqual(answer.bytes, Buffer.from(PNG, 'base64'))
      const again = await preview(server, me, name, { 'if-none-match': answer.headers.get('etag') })
      assert.deepEqual([again.status, again.bytes.length], [304, 0])
    }
  })

  test('others get theirs when somebody asks, and whoever listens hears of it', async () => {
    const me = await server.signUp()
    const { id } = await deploy(server, me, [page(''), png('favicon.ico')], {})
    await server.runJobs()
    const follower = await follow(server.url, { authorization: `Bearer ${me.token}` })
    const first = await preview(server, me, id)
    assert.equal(first.status, 404)
    assert.equal(JSON.parse(first.text).error.making, true)
    await server.runJobs()
    await follower.next('deployment', id)
    follower.leave()
    assert.equal((await preview(server, me, id)).headers.get('content-type'), 'image/png')
  })

  test('an SVG can run nothing, wherever it is opened', async () => {
    const me = await server.signUp()
    const inline = `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(SVG)}">`
    for (const files of [
      [page('<link rel="icon" href="a.svg">'), { file: 'a.svg', data: SVG }],
      [page(inline)],
    ]) {
      const { id } = await deploy(server, me, files)
      await server.runJobs()
      const answer = await preview(server, me, id)
      assert.equal(answer.text, SVG)
      assert.equal(answer.headers.get('content-type'), 'image/svg+xml')
      assert.equal(
        answer.headers.get('content-security-policy'),
        "sandbox; default-src 'none'; style-src 'unsafe-inline'",
      )
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    }
  })

  test('what has no icon, or only says that something is one, has no preview', async () => {
    const me = await server.signUp()
    for (const files of [
      [page('')],
      [page('<link rel="icon" href="/a.png">'), { file: 'a.png', data: '<script>alert(1)</script>' }],
      [page('<link rel="icon" href="https://elsewhere.example/a.png">')],
      [page('<link rel="icon" href="/big.png">'), png('index.txt'), { file: 'big.png', data: big() }],
    ]) {
      const { id } = await deploy(server, me, files)
      await server.runJobs()
      const answer = await preview(server, me, id)
      assert.equal(answer.status, 404)
      assert.deepEqual(JSON.parse(answer.text).error.code, 'not_found')
      assert.equal(JSON.parse(answer.text).error.making, undefined)
    }
  })

  test('what visitors need a password for has none', async () => {
    const me = await server.signUp()
    await server.parts.stores.users.update(me.id, { plan: 'enterprise' })
    const { id, projectId } = await deploy(server, me, [page(''), png('favicon.ico')], {})
    const guarded = await server.call(`PATCH /v9/projects/${projectId}`, {
      token: me.token,
      body: { passwordProtection: { deploymentType: 'all', password: 'guarded' } },
    })
    assert.equal(guarded.status, 200, JSON.stringify(guarded.body))
    await preview(server, me, id)
    await server.runJobs()
    assert.equal((await preview(server, me, id)).status, 404)
  })

  test('another account finds none, and neither does anybody once the deployment is deleted', async () => {
    const [me, stranger] = [await server.signUp(), await server.signUp()]
    const { id } = await deploy(server, me, [page(''), png('favicon.ico')])
    await server.runJobs()
    assert.equal((await preview(server, me, id)).status, 200)
    assert.equal((await preview(server, stranger, id)).status, 404)
    assert.equal((await server.parts.stores.previews.find(id))?.image?.kind, 'icon')
    await server.call(`DELETE /v8/platform/deployments/${id}`, { token: me.token })
    assert.equal((await preview(server, me, id)).status, 404)
    assert.equal(await server.parts.stores.previews.find(id), undefined)
  })
})

/** An image by its first bytes, and larger than any that is kept. */
const big = (): string => `GIF89a${'x'.repeat(300 * 1024)}`
