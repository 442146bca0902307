import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, test } from 'node:test'
import { run } from '#cli/run.ts'
import { eachDatabase } from '#test/support/database/databases.ts'
import { startServer } from '#test/support/server.ts'

/** Changes some bytes of everything that is stored. */
async function damage(blobs: string): Promise<void> {
  const files = await readdir(blobs, { recursive: true, withFileTypes: true })
  const stored = files.filter((file) => file.isFile() && /packs|large/.test(file.parentPath))
  for (const { parentPath, name } of stored) {
    const handle = await open(join(parentPath, name), 'r+')
    await handle.write('damage', 200)
    await handle.close()
  }
}

eachDatabase((name, openDatabase) =>
  describe(`contents that are damaged, on ${name}`, () => {
    for (const [kind, size] of [
      ['small', 1000],
      ['large', 200_000],
    ] as const)
      test(`a ${kind} file is missing until it is uploaded again, and then every site has it again`, async () => {
        const dataDir = await mkdtemp(join(tmpdir(), 'aloft-damaged-'))
        const server = await startServer({
          databaseUrl: await openDatabase(),
          env: { ALOFT_DATA_DIR: dataDir },
        })
        try {
          const { token } = await server.signUp()
          const content = randomBytes(size)
          const sha = createHash('sha1').update(content).digest('hex')
          const upload = () =>
            fetch(`${server.url}/v2/platform/files`, {
              method: 'POST',
              headers: { authorization: `Bearer ${token}`, 'x-platform-digest': sha },
              body: new Uint8Array(content),
            })
          const deploy = (path: string) =>
            server.call('POST /v8/platform/deployments', {
              token,
              body: { version: 2, name: 'site', files: [{ file: path, sha, size }] },
            })
          assert.equal((await upload()).status, 200)
          const first = await deploy('first.bin')
          assert.equal(first.status, 200, JSON.stringify(first.body))

          await damage(join(dataDir, 'blobs'))
          assert.equal((await server.visit(first.body.url, '/first.bin')).status, 500)
          const refused = await deploy('second.bin')
          assert.deepEqual([refused.status, refused.body.error?.missing], [400, [sha]])
          assert.equal(await server.parts.stores.files.countDamaged(), 1)

          assert.equal((await upload()).status, 200)
          assert.equal(await server.parts.stores.files.countDamaged(), 0)
          const second = await deploy('second.bin')
          assert.equal(second.status, 200, JSON.stringify(second.body))
          assert.equal((await server.visit(second.body.url, '/second.bin')).status, 200)
          assert.equal((await server.visit(first.body.url, '/first.bin')).status, 200)
        } finally {
          await server.close()
          await rm(dataDir, { recursive: true, force: true })
        }
      })

    test('a backup has all that is sound, names what it could not save, and exits with 1', async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'aloft-damaged-'))
      const server = await startServer({
        databaseUrl: await openDatabase(),
        env: { ALOFT_DATA_DIR: dataDir },
      })
      try {
        const { token } = await server.operator()
        const contents = { 'small.txt': 'small '.repeat(100), 'large.txt': 'large '.repeat(30_000) }
        const deploy = (files: Readonly<Record<string, string>>) =>
          server.call('POST /v8/platform/deployments', {
            token,
            body: {
              ...{ version: 2, name: 'site' },
              files: Object.entries(files).map(([file, data]) => ({ file, data })),
            },
          })
        assert.equal((await deploy(contents)).status, 200)
        await damage(join(dataDir, 'blobs'))
        const sound = await deploy({ 'index.html': 'sound' })

        const said: string[] = []
        const aloft = (...argv: readonly string[]) =>
          run({
            ...{ argv: ['operator', ...argv], cwd: dataDir, stdin: new PassThrough() },
            env: { ALOFT_BASE_URL: server.url, ALOFT_TOKEN: token },
            stdout: new PassThrough().on('data', (bytes) => said.push(String(bytes))),
            stderr: new PassThrough().on('data', (bytes) => said.push(String(bytes))),
          })
        assert.equal(await aloft('backup', '--with-key', '--output', 'saved.tar'), 1)
        const text = said.splice(0).join('')
        assert.match(text, /2 files of deployments could not be included/)
        for (const content of Object.values(contents))
          assert.ok(text.includes(`Not saved: ${createHash('sha256').update(content).digest('hex')}\n`), text)

        const saved = join(dataDir, 'saved.tar')
        assert.equal(await aloft('restore', saved, '--check'), 0)
        assert.match(
          said.splice(0).join(''),
          /1 file content as of .*\n2 file contents could not be included when/,
        )
        const restored = join(dataDir, 'restored')
        assert.equal(await aloft('restore', saved, '--data-dir', restored), 0, said.join(''))
        const again = await startServer({ env: { ALOFT_DATA_DIR: restored } })
        assert.equal((await again.visit(sound.body.url, '/')).body, 'sound')
        await again.close()
      } finally {
        await server.close()
        await rm(dataDir, { recursive: true, force: true })
      }
    })

    test('a look at all contents finds damage, and tells the operators by mail and status', async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'aloft-damaged-'))
      const server = await startServer({
        databaseUrl: await openDatabase(),
        env: { ALOFT_DATA_DIR: dataDir },
      })
      try {
        const { token, email } = await server.operator()
        const content = (char: string) => ({ file: `${char}.txt`, data: char.repeat(300) })
        const body = { version: 2, name: 'site', files: [content('a'), content('b')] }
        assert.equal((await server.call('POST /v8/platform/deployments', { token, body })).status, 200)
        const contents = async () => {
          const { body: status } = await server.call('GET /v1/operator/status', { token })
          const check = status.checks.find(({ name }: { name: string }) => name === 'contents')
          return [check.ok, status.blobs.damaged]
        }
        const mails = async () => {
          await server.runJobs()
          const outbox = join(dataDir, 'outbox')
          const names = await readdir(outbox).catch((): string[] => [])
          return Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')))
        }
        const scrub = () => server.call('POST /v1/operator/jobs/files.scrub/run', { token })
        assert.equal((await scrub()).status, 200)
        assert.deepEqual(await mails(), [])
        assert.deepEqual(await contents(), [true, 0])

        await damage(join(dataDir, 'blobs'))
        await scrub()
        const [mail, ...others] = await mails()
        assert.match(mail ?? '', /^Subject: \d stored files? found damaged\r?$/m)
        assert.match(mail ?? '', new RegExp(`^To: ${email}\r?$`, 'm'))
        assert.deepEqual(others, [])
        const [isOk, count] = await contents()
        assert.equal(isOk, false)
        assert.ok(count > 0)
      } finally {
        await server.close()
        await rm(dataDir, { recursive: true, force: true })
      }
    })
  }),
)
