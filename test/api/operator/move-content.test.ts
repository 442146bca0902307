import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { run } from '#cli/run.ts'
import { startServer, type TestServer } from '#test/support/server.ts'
import { shareS3, withoutS3 } from '#test/support/storage/s3.ts'

const LARGE = 'large\n'.repeat(50_000)

/** The command, as the operator gives it, while jobs are done. */
async function moveContent(server: TestServer, token: string, cwd: string): Promise<string> {
  const said: string[] = []
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  for (const output of [stdout, stderr]) output.on('data', (bytes) => said.push(String(bytes)))
  const argv = ['operator', 'move-content', '--base-url', server.url, '--token', token]
  const code = await run({ argv, env: {}, cwd, stdin, stdout, stderr })
  assert.equal(code, 0, said.join(''))
  return said.join('')
}

test('contents go to an object store and back by one command, while sites are visited and others upload and deploy', {
  skip: withoutS3,
}, async (t) => {
  const s3 = await shareS3()
  const folder = await mkdtemp(join(tmpdir(), 'aloft-move-'))
  t.after(async () => {
    await s3.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const common = { ALOFT_DATA_DIR: join(folder, 'data'), AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' }
  const bucket = await s3.makeBucket('moved')
  const hosts = new Map<string, string>()
  const deploy = async (server: TestServer, token: string, name: string) => {
    const files = [
      { file: 'index.html', data: name },
      { file: 'large.txt', data: `${name} ${LARGE}` },
    ]
    const { status, body } = await server.call('POST /v8/platform/deployments', {
      ...{ token, body: { version: 2, name, files } },
    })
    assert.equal(status, 200)
    hosts.set(name, new URL(`http://${body.url}`).hostname)
  }
  const allAnswer = async (server: TestServer) => {
    for (const [name, host] of hosts) {
      assert.equal((await server.visit(host, '/')).body, name)
      assert.equal((await server.visit(host, '/large.txt')).body, `${name} ${LARGE}`)
    }
  }

  /** A site of many contents, for those who visit while it is moved. */
  const pages = Array.from({ length: 200 }, (_, n) => ({
    file: `${n}.txt`,
    data: `page ${n} `.repeat(n % 20 === 0 ? 10_000 : 1 + (n % 300)),
  }))
  const pagesBytes = pages.reduce((sum, { data }) => sum + data.length, 0)
  const busy: { host: string; uploaded: number } = { host: '', uploaded: 0 }
  /** Visits every page again and again, uploads, and deploys what is stored already and what is new, until it is stopped. */
  const load = (server: TestServer, token: string) => {
    let isOver = false
    let visits = 0
    const uploadsBefore = busy.uploaded
    const visiting = async (from: number) => {
      for (let at = from; !isOver; at = (at + 1) % pages.length) {
        const { file, data } = pages[at] ?? assert.fail()
        const { status, body } = await server.visit(busy.host, `/${file}`)
        assert.ok(status === 200 && body === data, `${file}: ${status}`)
        visits += 1
        await pause(2)
      }
    }
    const deploying = async () => {
      for (; !isOver; busy.uploaded += 1) {
        const text = `uploaded as number ${busy.uploaded}`
        const sha = hash('sha1', text)
        const headers = { 'x-platform-digest': sha, 'content-type': 'application/octet-stream' }
        const sent = await server.call('POST /v2/platform/files', { token, headers, body: text })
        assert.equal(sent.status, 200, JSON.stringify(sent.body))
        const { data } = pages[busy.uploaded % pages.length] ?? assert.fail()
        const { status, body } = await server.call('POST /v8/platform/deployments', {
          token,
          body: {
            ...{ version: 2, name: 'uploaded' },
            files: [
              { file: 'new.txt', sha, size: text.length },
              { file: 'known.txt', sha: hash('sha1', data), size: data.length },
            ],
          },
        })
        assert.equal(status, 200, JSON.stringify(body))
        const host = new URL(`http://${body.url}`).hostname
        assert.equal((await server.visit(host, '/new.txt')).body, text)
        assert.equal((await server.visit(host, '/known.txt')).body, data)
        await pause(20)
      }
    }
    const all = Promise.all([visiting(0), visiting(pages.length / 2), deploying()])
    // Heard of by whoever stops it.
    all.catch(() => undefined)
    return async () => {
      isOver = true
      await all
      return { visits, uploads: busy.uploaded - uploadsBefore }
    }
  }

  for (const [name, env, isMove] of [
    ['on the disk', {}, false],
    ['to the store', { ALOFT_BLOB_URL: bucket }, true],
    ['in the store', { ALOFT_BLOB_URL: bucket }, false],
    ['back again', { ALOFT_BLOB_FROM: bucket }, true],
    ['on the disk alone', {}, false],
  ] as const) {
    const server = await startServer({ env: { ...common, ...env } })
    try {
      const { token } = await server.operator()
      await allAnswer(server)
      await deploy(server, token, name.replaceAll(' ', '-'))
      if (busy.host === '') {
        const site = { version: 2, name: 'busy', files: pages }
        const { body } = await server.call('POST /v8/platform/deployments', { token, body: site })
        busy.host = new URL(`http://${body.url}`).hostname
      }
      const { toMove, bytes } = (await server.call('GET /v1/operator/status', { token })).body.blobs
      assert.equal(toMove > 0, isMove, name)
      assert.ok(bytes > pagesBytes, `${name}: ${bytes}, what is still to be moved counts as well`)
      const stop = isMove ? load(server, token) : undefined
      await server.startJobs()
      const said = await moveContent(server, token, folder)
      const loaded = await stop?.()
      assert.match(said, isMove ? /Moved \d+ file contents/ : /Nothing to move/, name)
      if (loaded) {
        assert.ok(loaded.visits > 0 && loaded.uploads > 0, JSON.stringify(loaded))
        t.diagnostic(`${name}: ${said.trim()} during ${loaded.visits} visits and ${loaded.uploads} uploads`)
        for (const { file, data } of pages)
          assert.equal((await server.visit(busy.host, `/${file}`)).body, data, `${name}: ${file}`)
      }
      await allAnswer(server)
      const { body: status } = await server.call('GET /v1/operator/status', { token })
      assert.equal(status.blobs.toMove, 0, name)
      assert.ok(status.blobs.bytes > pagesBytes, `${name}: ${status.blobs.bytes} after it`)
    } finally {
      await server.close()
    }
  }
})
