import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AloftError } from '#contract/errors.ts'
import { ask, createEdgeWorld, serveSlow } from '#test/support/http/edge.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

const log = createRecordingLog()
const world = createEdgeWorld({ log })
const statuses = ['deleted', 'blocked', 'paused', 'failed', 'building', 'ready'] as const
for (const status of statuses) world.addSite(`${status}.test`, { 'index.html': 'home' }, { status })
world.addSite('own.test', { 'index.html': 'home', '404.html': '<h1>own page</h1>' })
const server = await serveSlow(world.edge)
after(async () => {
  await server.close()
  await world.edge.close()
})
const visit = (host: string, path = '/', headers = {}, method = 'GET') =>
  ask(server.port, path, { host, headers, method })

const REFUSALS: readonly (readonly [string, number, string])[] = [
  ['unknown.test', 404, 'DEPLOYMENT_NOT_FOUND'],
  ['deleted.test', 410, 'DEPLOYMENT_DELETED'],
  ['blocked.test', 402, 'DEPLOYMENT_DISABLED'],
  ['paused.test', 503, 'DEPLOYMENT_PAUSED'],
  ['failed.test', 404, 'DEPLOYMENT_FAILED'],
  ['building.test', 404, 'DEPLOYMENT_NOT_READY'],
]
for (const [host, status, code] of REFUSALS)
  test(`${host} is answered with ${status} ${code}, whatever the path and method`, async () => {
    for (const [path, method] of [
      ['/', 'GET'],
      ['/x%', 'POST'],
    ] as const) {
      const answer = await visit(host, path, {}, method)
      assert.equal(answer.status, status)
      assert.equal(answer.headers['x-platform-error'], code)
      assert.equal(answer.headers['x-vercel-error'], code)
      assert.equal(answer.headers['cache-control'], 'no-store')
      assert.ok(answer.headers['x-platform-id'])
    }
  })

test('an error is a page for browsers, JSON for programs and text for the rest', async () => {
  const page = await visit('unknown.test', '/', { accept: 'text/html,*/*;q=0.8' })
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
  assert.match(page.text, /^<!doctype html>.*DEPLOYMENT_NOT_FOUND/s)
  const json = await visit('unknown.test', '/', { accept: 'application/json' })
  assert.equal(json.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(JSON.parse(json.text).error.code, 'DEPLOYMENT_NOT_FOUND')
  assert.equal(JSON.parse(json.text).error.id, json.headers['x-platform-id'])
  const text = await visit('unknown.test')
  assert.equal(text.headers['content-type'], 'text/plain; charset=utf-8')
  assert.match(text.text, /DEPLOYMENT_NOT_FOUND/)
  for (const answer of [page, json, text]) assert.equal(answer.headers.vary, 'accept')
})

test('the page of a deployment that is being built looks again by itself', async () => {
  const { text, headers } = await visit('building.test', '/', { accept: 'text/html' })
  assert.match(text, /<meta http-equiv="refresh" content="3">/)
  assert.equal(headers['retry-after'], '3')
  assert.doesNotMatch((await visit('failed.test', '/', { accept: 'text/html' })).text, /http-equiv="refresh"/)
})

test('a site with a 404.html answers with it where there is no file', async () => {
  const { status, headers, text } = await visit('own.test', '/nope', {
    'if-none-match': '*',
    range: 'bytes=0-1',
  })
  assert.equal(status, 404)
  assert.equal(text, '<h1>own page</h1>')
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(headers.etag, undefined)
  const head = await visit('own.test', '/nope', {}, 'HEAD')
  assert.equal(head.status, 404)
  assert.equal(head.headers['content-length'], '17')
})

test('hosts are known without regard to case, port and final dot', async () => {
  for (const host of ['READY.test', 'ready.test:8080', 'ready.test.', 'ready.test.:80'])
    assert.equal((await visit(host)).text, 'home', host)
  for (const host of ['[::1]:80', '127.0.0.1', 'ready.test:x', ''])
    assert.equal((await visit(host)).headers['x-platform-error'], 'DEPLOYMENT_NOT_FOUND', host)
})

test('a content that is lost is our fault and says so', async () => {
  const site = world.addSite('lost.test', { 'index.html': 'x', 'video.mp4': Buffer.alloc(2_000_000) })
  for (const { sha256 } of site.files.values()) world.blobs.delete(sha256)
  for (const path of ['/', '/video.mp4']) {
    const { status, headers } = await visit('lost.test', path)
    assert.equal(status, 500)
    assert.equal(headers['x-platform-error'], 'INTERNAL_ERROR')
  }
})

test('a host that cannot be looked up now is told to come again, and the log is told once', async () => {
  const quiet = createRecordingLog()
  const away = createEdgeWorld({
    log: quiet,
    sites: { find: () => Promise.reject(new AloftError('service_unavailable', 'The database is away.')) },
  })
  const other = await serveSlow(away.edge)
  for (const host of ['one.test', 'two.test', 'three.test']) {
    const { status, headers } = await ask(other.port, '/', { host })
    assert.deepEqual(
      [status, headers['x-platform-error'], headers['retry-after'], headers['cache-control']],
      [503, 'SERVICE_UNAVAILABLE', '5', 'no-store'],
    )
  }
  assert.equal(quiet.entries.filter(({ message }) => message === 'sites cannot be looked up').length, 1)
  await other.close()
  await away.edge.close()
})

test('a source that fails is answered with an error that tells nothing, and is asked again', async () => {
  let works = false
  const broken = createEdgeWorld({
    log,
    sites: {
      async find() {
        if (!works) throw new Error('the database has secrets')
        return world.sites.get('ready.test')
      },
    },
  })
  for (const [hash, bytes] of world.blobs) broken.blobs.set(hash, bytes)
  const other = await serveSlow(broken.edge)
  const failed = await ask(other.port, '/', { host: 'ready.test' })
  assert.equal(failed.status, 500)
  assert.doesNotMatch(failed.text, /secrets/)
  await log.saw(/could not be answered/)
  works = true
  assert.equal((await ask(other.port, '/', { host: 'ready.test' })).status, 200)
  await other.close()
  await broken.edge.close()
})

test('a cache too small to hold anything is refused at once', () => {
  assert.throws(() => createEdgeWorld({ budgetBytes: 1000 }), /needs 4194304 bytes for contents/)
})

test('after an error the connection is kept, unless a body was left unread', async () => {
  assert.equal(
    (await ask(server.port, '/', { host: 'unknown.test', headers: { connection: 'keep-alive' } })).headers
      .connection,
    'keep-alive',
  )
  const body = Buffer.alloc(1_000_000)
  const refused = await ask(server.port, '/', { host: 'ready.test', method: 'POST', body })
  assert.equal(refused.status, 405)
  assert.equal(refused.headers.connection, 'close')
})
