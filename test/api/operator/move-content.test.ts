import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { run } from '#cli/run.ts'
import { startServer, type TestServer } from '#test/support/server.ts'
import { startS3, withoutS3 } from '#test/support/storage/s3.ts'

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

test('contents go to an object store and back by one command, while sites answer and others deploy', {
  skip: withoutS3,
}, async (t) => {
  const s3 = await startS3()
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

  for (const [name, env, moved] of [
    ['on the disk', {}, 0],
    ['to the store', { ALOFT_BLOB_URL: bucket }, 2],
    ['in the store', { ALOFT_BLOB_URL: bucket }, 0],
    ['back again', { ALOFT_BLOB_FROM: bucket }, 6],
    ['on the disk alone', {}, 0],
  ] as const) {
    const server = await startServer({ env: { ...common, ...env } })
    try {
      const { token } = await server.operator()
      await allAnswer(server)
      await deploy(server, token, name.replaceAll(' ', '-'))
      await server.startJobs()
      const said = await moveContent(server, token, folder)
      assert.match(said, moved === 0 ? /Nothing to move/ : new RegExp(`Moved ${moved} file contents`), name)
      await allAnswer(server)
      const { body: status } = await server.call('GET /v1/operator/status', { token })
      assert.equal(status.blobs.toMove, 0, name)
    } finally {
      await server.close()
    }
  }
})
