import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { after, before, describe, test } from 'node:test'
import { isLogTable } from '#adapters/sql/backup/table-source.ts'
import { run } from '#cli/run.ts'
import {
  backupEnd,
  CHECKSUMS,
  checksumLine,
  END_BYTES,
  type RestoreProgress,
  readBackupEnd,
  readTarHeader,
  tarBytes,
  tarEntry,
} from '#contract/backup/backup.ts'
import { openSealedBackup, type ReadAt } from '#contract/backup/sealed-backup.ts'
import { isInUse } from '#src/process/data/in-use.ts'
import { RestoreError, type RestoreOptions, restore } from '#src/process/data/restore.ts'
import { eachDatabase, type OpenDatabase, onPostgres } from '#test/support/database/databases.ts'
import { startServer, type TestServer } from '#test/support/server.ts'
import { isSeveral } from '#test/support/several.ts'
import { shareS3, withoutS3 } from '#test/support/storage/s3.ts'
import { mountTinyDisk, unmountTinyDisk } from '#test/support/storage/tiny-disk.ts'

const LARGE = 'large\n'.repeat(50_000)

/** Everything of an account that a restore has to bring back. */
async function furnish(server: TestServer) {
  const operator = await server.operator()
  const user = await server.signUp()
  const { token } = user
  const { body: site } = await server.call('POST /v8/platform/deployments', {
    token,
    body: {
      version: 2,
      name: 'kept',
      files: [
        { file: 'index.html', data: '<h1>kept</h1>' },
        { file: 'large.txt', data: LARGE },
      ],
    },
  })
  await server.call('POST /v2/platform/secrets', { token, body: { name: 'db', value: 'wörld' } })
  await server.call('POST /v4/domains', { token, body: { name: 'kept.example' } })
  return { operator, user, host: new URL(`http://${site.url}`).hostname }
}

async function download(server: TestServer, token: string, query: string, file: string): Promise<Headers> {
  const answer = await fetch(`${server.url}/v1/operator/backups${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  assert.equal(answer.status, 200)
  await pipeline(Readable.fromWeb(answer.body as never), createWriteStream(file))
  return answer.headers
}

/** Each step in its turn, and nearly all of the archive by the end of the first two. */
function tellsHowFar(progress: readonly RestoreProgress[]): void {
  const steps = Map.groupBy(progress, ({ step }) => step)
  assert.deepEqual([...steps.keys()], ['check', 'write', 'finish'])
  for (const step of ['check', 'write'] as const) {
    const parts = (steps.get(step) ?? []).map((each) => (each.step === 'finish' ? 1 : each.bytes / each.of))
    assert.deepEqual(
      parts,
      parts.toSorted((a, b) => a - b),
      'never backwards',
    )
    const last = parts.at(-1) ?? 0
    assert.ok(last > 0.8 && last <= 1, `${step} ends at ${last}`)
  }
}

const asks = (file: string, dataDir: string, more: Partial<RestoreOptions> = {}): RestoreOptions => ({
  file,
  dataDir,
  force: false,
  env: {},
  cwd: tmpdir(),
  ...more,
})

/** What was made for the first database that it is restored to. */
const TO_FIRST = isSeveral ? 'to-PostgreSQL.tar' : 'to-SQLite.tar'

eachDatabase((from, openFrom) =>
  describe(`a backup of ${from}`, () => {
    let server: TestServer
    let folder: string
    let there: Awaited<ReturnType<typeof furnish>>
    before(async () => {
      server = await startServer({ databaseUrl: await openFrom() })
      folder = await mkdtemp(join(tmpdir(), 'aloft-backup-'))
      there = await furnish(server)
      // Enough of them that what is kept of them is compressed.
      for (let i = 0; i < 20; i++) await server.visit(there.host, `/?visit=${i}`)
      await server.flushLogs()
    })
    after(async () => {
      await server.close()
      await rm(folder, { recursive: true })
    })

    eachDatabase((to: string, openTo: OpenDatabase) =>
      test(`is taken while others write, and answers again from ${to}`, async () => {
        const file = join(folder, `to-${to}.tar`)
        let done = false
        const writing = (async () => {
          let written = 0
          for (; !done; written++)
            await server.call('POST /v2/platform/secrets', {
              token: there.user.token,
              body: { name: `${to}-${written}`.toLowerCase(), value: 'x' },
            })
          return written
        })()
        const headers = await download(server, there.operator.token, '?key=true&logs=true', file)
        done = true
        assert.ok((await writing) > 0)
        assert.equal(headers.get('x-aloft-backup-bytes'), String((await readFile(file)).length))
        assert.match(headers.get('content-disposition') ?? '', /filename="aloft-backup-[\d-]+\.tar"/)

        const databaseUrl = await openTo()
        const dataDir = join(folder, `data-${to}`)
        const env = { ALOFT_DATABASE_URL: databaseUrl }
        const progress: RestoreProgress[] = []
        const inUse: Promise<boolean>[] = []
        const onProgress = (each: RestoreProgress) => {
          progress.push(each)
          if (each.step === 'write') inUse.push(isInUse(dataDir))
        }
        const restored = await restore(asks(file, dataDir, { env, onProgress }))
        tellsHowFar(progress)
        assert.ok((await Promise.all(inUse)).every(Boolean), 'no server is started with the folder meanwhile')
        assert.equal(await isInUse(dataDir), false)
        assert.deepEqual([restored.dataDir, restored.blobs, restored.missing], [dataDir, 2, 0])
        const again = await startServer({ databaseUrl, env: { ALOFT_DATA_DIR: dataDir } })
        try {
          assert.equal((await again.visit(there.host, '/')).body, '<h1>kept</h1>')
          assert.equal((await again.visit(there.host, '/large.txt')).body, LARGE)
          const logged = await again.parts.logStore.after('0', 1000)
          assert.ok(logged.some(({ text }) => /^GET \/\?visit=19 200 /.test(text)))
          const { token } = there.user
          const { body: domain } = await again.call('GET /v4/domains/kept.example', { token })
          assert.equal(domain.domain.name, 'kept.example')
          // Another key could not open it, and then the deployment would fail.
          const built = await again.call('POST /v8/platform/deployments', {
            token,
            body: {
              version: 2,
              name: 'uses',
              env: { DB: '@db' },
              files: [{ file: 'index.html', data: 'x' }],
            },
          })
          assert.equal(built.status, 200, JSON.stringify(built.body))
        } finally {
          await again.close()
        }
        await assert.rejects(
          restore(asks(file, join(folder, `second-${to}`), { env, ...(databaseUrl ? {} : { dataDir }) })),
          /holds an installation already|is not empty/,
        )
        assert.equal(existsSync(join(folder, `second-${to}`)), false)
      }),
    )

    test('has no key in it unless that is asked for, and takes only the right one', async () => {
      const file = join(folder, 'without-key.tar')
      await download(server, there.operator.token, '', file)
      const dataDir = join(folder, 'keyless')
      await assert.rejects(restore(asks(file, dataDir)), /does not include the master key/)
      const keyFile = join(folder, 'wrong.key')
      await writeFile(keyFile, Buffer.alloc(32).toString('base64'))
      await assert.rejects(restore(asks(file, dataDir, { keyFile })), /not the one/)
      assert.equal(existsSync(dataDir), false)
      assert.equal((await readFile(file)).includes('master.key\0'), false)
      assert.equal((await readFile(join(folder, TO_FIRST))).includes('master.key\0'), true)
    })

    test('is for operators alone', async () => {
      for (const on of ['POST /v1/operator/backups', 'GET /v1/operator/status', 'GET /v1/operator/accounts'])
        assert.equal((await server.call(on, { token: there.user.token })).status, 403, on)
    })

    test('is not made twice at once, and a download that breaks off holds nothing up', async () => {
      const { token } = there.operator
      const begun = await server.parts.backups.make({ logs: false, key: false })
      const second = await server.call('POST /v1/operator/backups', { token })
      assert.deepEqual([second.status, second.body.error.code], [409, 'conflict'])
      const closed = new Promise((resolve) => begun.content.once('close', resolve))
      begun.content.destroy()
      await closed

      const abort = new AbortController()
      const answer = await fetch(`${server.url}/v1/operator/backups`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        signal: abort.signal,
      })
      await answer.body?.getReader().read()
      abort.abort()
      for (let made = false; !made; ) {
        const next = await server.call('POST /v1/operator/backups', { token })
        made = next.status === 200
      }
    })

    test('says when it was cut off or changed, and then leaves nothing', async () => {
      const whole = await readFile(join(folder, TO_FIRST))
      const dataDir = join(folder, 'never')
      const refused = async (name: string, bytes: Buffer, why: RegExp) => {
        const file = join(folder, name)
        await writeFile(file, bytes)
        await assert.rejects(restore(asks(file, dataDir)), (error) => {
          assert.ok(error instanceof RestoreError)
          assert.match(error.message, why)
          return true
        })
        assert.equal(existsSync(dataDir), false)
      }
      await refused('half.tar', whole.subarray(0, whole.length / 2), /incomplete/)
      const flipped = Buffer.from(whole)
      flipped[whole.length - 5000] = (flipped[whole.length - 5000] ?? 0) ^ 1
      await refused('flipped.tar', flipped, /damaged/)
      await refused('other.tar', Buffer.from('something else'), /no backup/)
      const { manifest, rest } = split(whole)
      await refused('newer.tar', reseal({ ...manifest, version: 99 }, rest), /newer version/)
      const main = { ...manifest.main, migrations: [...manifest.main.migrations, '9999-later'] }
      await refused('newer-schema.tar', reseal({ ...manifest, main }, rest), /does not support 9999-later/)
      await assert.rejects(restore(asks(join(folder, 'none.tar'), dataDir)), /does not exist/)
    })

    test('of an earlier schema and format is brought up to date by the next start', async () => {
      const { manifest, rest } = split(await readFile(join(folder, TO_FIRST)))
      const migrations = manifest.main.migrations.filter((name: string) => name < '0017')
      const file = join(folder, 'older.tar')
      await writeFile(
        file,
        asVersion1({ ...manifest, main: { ...manifest.main, migrations } }, withoutTable(rest, 'usage')),
      )
      const dataDir = join(folder, 'older')
      await restore(asks(file, dataDir))
      const again = await startServer({ env: { ALOFT_DATA_DIR: dataDir } })
      assert.equal((await again.visit(there.host, '/')).body, '<h1>kept</h1>')
      const { body } = await again.call('GET /v1/operator/status', { token: there.operator.token })
      assert.equal(body.database.schema, manifest.main.migrations.at(-1))
      await again.close()
    })

    test('shows a terminal how far its restore is', async () => {
      const drawn: string[] = []
      const [stdin, stdout] = [new PassThrough(), new PassThrough()]
      const stderr = new PassThrough().on('data', (bytes) => drawn.push(String(bytes)))
      const code = await run({
        argv: ['operator', 'restore', join(folder, TO_FIRST), '--data-dir', join(folder, 'shown')],
        ...{
          env: {},
          cwd: folder,
          stdin,
          stdout,
          stderr: Object.assign(stderr, { isTTY: true, columns: 80 }),
        },
      })
      assert.equal(code, 0, drawn.join(''))
      const lines = drawn.join('').split('\r\u001b[2K')
      for (const line of [
        /^Checking the backup {2}.+B of .+B/,
        /^Restoring {2}.+B of .+B/,
        /^Moving everything into place/,
      ])
        assert.ok(
          lines.some((each) => line.test(each)),
          drawn.join(''),
        )
    })

    test('changes nothing where something cannot be moved aside, and can be repeated', async (t) => {
      const dataDir = join(folder, 'mounted')
      const names = ['a-note', 'disk', 'note']
      await mkdir(join(dataDir, 'disk'), { recursive: true })
      for (const name of ['a-note', 'note']) await writeFile(join(dataDir, name), 'mine')
      const missing = mountTinyDisk(join(dataDir, 'disk'), 1)
      if (missing !== undefined) return t.skip(missing)
      const url = await openFrom()
      const env = url === undefined ? {} : { ALOFT_DATABASE_URL: url }
      const asked = asks(join(folder, TO_FIRST), dataDir, { force: true, env })
      try {
        await assert.rejects(restore(asked), (error) => {
          assert.ok(error instanceof RestoreError)
          assert.match(error.message, /disk cannot be moved aside: /)
          return true
        })
        assert.deepEqual((await readdir(dataDir)).sort(), names)
        assert.equal(await readFile(join(dataDir, 'note'), 'utf8'), 'mine')
      } finally {
        unmountTinyDisk(join(dataDir, 'disk'))
      }
      const { movedTo = '' } = await restore(asked)
      assert.deepEqual((await readdir(movedTo)).sort(), names)
    })

    test('goes into a folder that is in use by nobody, and moves aside what is there when told to', async () => {
      const file = join(folder, TO_FIRST)
      const dataDir = join(folder, 'busy')
      await mkdir(dataDir)
      await writeFile(join(dataDir, 'note'), 'mine')
      await assert.rejects(restore(asks(file, dataDir)), /is not empty/)
      const { movedTo } = await restore(asks(file, dataDir, { force: true }))
      assert.equal(await readFile(join(movedTo ?? '', 'note'), 'utf8'), 'mine')
      assert.deepEqual(
        (await readdir(dataDir)).filter((name) => name.startsWith('.')),
        [],
      )
      const running = await startServer({ env: { ALOFT_DATA_DIR: dataDir } })
      await assert.rejects(restore(asks(file, dataDir, { force: true })), /server is running/)
      await running.close()
    })
  }),
)

test('every table is known to be of the logs, or not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-tables-'))
  const server = await startServer({ env: { ALOFT_DATA_DIR: folder } })
  const tables = (name: string) => {
    const db = new DatabaseSync(join(folder, name), { readOnly: true })
    const rows = db.prepare("select name from sqlite_schema where type = 'table'").all()
    db.close()
    return rows.map((row) => String(row.name)).filter((table) => !/^(sqlite|aloft)_/.test(table))
  }
  assert.deepEqual(tables('aloft.db').filter(isLogTable), [])
  assert.deepEqual(
    tables('logs.db').filter((table) => !isLogTable(table)),
    [],
  )
  await server.close()
  await rm(folder, { recursive: true })
})

// What follows takes an archive apart the way `tar` would, to make one that this version must refuse.

function split(whole: Buffer) {
  const size = Number.parseInt(whole.toString('latin1', 124, 135), 8)
  const manifest = JSON.parse(whole.toString('utf8', 512, 512 + size))
  const { checksums } = readBackupEnd(whole.subarray(-END_BYTES)) ?? {}
  return { manifest, rest: whole.subarray(tarBytes(size), checksums?.at) }
}

/** As it was before there was this table. */
function withoutTable(rest: Buffer, table: string): Buffer {
  const kept: Buffer[] = []
  for (let at = 0; at < rest.length; ) {
    const name = rest.toString('latin1', at, at + 100).replace(/\0.*$/s, '')
    const size = Number.parseInt(rest.toString('latin1', at + 124, at + 135), 8)
    const end = at + 512 + Math.ceil(size / 512) * 512
    if (!name.split(/[/.]/).includes(table)) kept.push(rest.subarray(at, end))
    at = end
  }
  return Buffer.concat(kept)
}

/** As it was before entries had checksums. */
function asVersion1(manifest: object, rest: Buffer): Buffer {
  const body = reseal({ ...manifest, version: 1 }, rest).subarray(0, -END_BYTES)
  const sha256 = createHash('sha256').update(body).digest('hex')
  const end = JSON.stringify({ sha256, bytes: body.length, missing: 0 })
  return Buffer.concat([body, tarEntry('end.json', Buffer.from(`${end}\n`), 0), Buffer.alloc(1024)])
}

function reseal(manifest: object, rest: Buffer): Buffer {
  const body = Buffer.concat([tarEntry('manifest.json', Buffer.from(JSON.stringify(manifest)), 0), rest])
  const sha256 = createHash('sha256').update(body).digest('hex')
  return Buffer.concat([body, backupEnd({ sha256, bytes: body.length, missing: 0 }, 0)])
}

/** What `sha256sum --check` would say of an archive that was unpacked: each entry before the checksums has its own. */
function assertChecksums(archive: Buffer): void {
  const sums: string[] = []
  let listed: string | undefined
  for (let at = 0; listed === undefined; ) {
    const { name, size } = readTarHeader(archive.subarray(at, at + 512)) ?? assert.fail(`no entry at ${at}`)
    const content = archive.subarray(at + 512, at + 512 + size)
    if (name === CHECKSUMS) listed = content.toString()
    else sums.push(checksumLine(createHash('sha256').update(content).digest('hex'), name))
    at += tarBytes(size)
  }
  assert.equal(listed, sums.join(''))
}

eachDatabase((to: string, openTo: OpenDatabase) =>
  test(`files that a backup lacks are asked for again once it was restored to ${to}`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'aloft-backup-'))
    t.after(() => rm(folder, { recursive: true }))
    const server = await startServer()
    t.after(() => server.close())
    const { token } = await server.operator()
    const contents = [LARGE, `${LARGE}2`, 'small']
    const create = (on: TestServer, files: readonly object[]) =>
      on.call('POST /v8/platform/deployments', { token, body: { version: 2, name: 'lacks', files } })
    await create(
      server,
      contents.map((data, n) => ({ file: `${n}.txt`, data })),
    )
    const [damaged, gone] = contents.map((data) => {
      const sha256 = createHash('sha256').update(data).digest('hex')
      return join(server.dataDir, 'blobs/large', sha256.slice(0, 2), sha256)
    }) as [string, string]
    await rm(gone)
    // This one is found while the backup is made, after the rows have been read.
    await writeFile(damaged, `${LARGE.slice(0, -1)}.`)
    const file = join(folder, 'lacking.tar')
    await download(server, token, '?key=true', file)
    const env = { ALOFT_DATABASE_URL: await openTo() }
    const dataDir = join(folder, 'data')
    const restored = await restore(asks(file, dataDir, { env }))
    assert.deepEqual([restored.blobs, restored.missing], [1, 2])
    const again = await startServer({
      databaseUrl: env.ALOFT_DATABASE_URL,
      env: { ALOFT_DATA_DIR: dataDir },
    })
    t.after(() => again.close())
    const files = contents.map((data, n) => ({
      ...{ file: `${n}.txt`, size: data.length },
      sha: createHash('sha1').update(data).digest('hex'),
    }))
    const { status, body } = await create(again, files)
    assert.deepEqual([status, body.error?.code], [400, 'missing_files'])
    assert.deepEqual(
      new Set(body.error.missing),
      new Set(files.slice(0, 2).map(({ sha }) => sha)),
      JSON.stringify(body),
    )
    assert.equal(await again.parts.stores.files.countDamaged(), 2)
  }),
)

onPostgres((_, open) =>
  test('a sealed backup of what many machines share answers again from others, and from one alone', {
    skip: withoutS3,
  }, async (t) => {
    const s3 = await shareS3()
    t.after(() => s3.stop())
    const folder = await mkdtemp(join(tmpdir(), 'aloft-backup-'))
    t.after(() => rm(folder, { recursive: true }))
    const clustered = async () => ({
      ALOFT_DATABASE_URL: await open(),
      ALOFT_BLOB_URL: await s3.makeBucket('cluster'),
      ...{ AWS_ACCESS_KEY_ID: 'any', AWS_SECRET_ACCESS_KEY: 'any' },
    })
    const start = ({ ALOFT_DATABASE_URL: databaseUrl, ...env }: Record<string, string>) =>
      startServer({ databaseUrl, env })
    const passphrase = 'correct horse battery staple'
    await writeFile(join(folder, 'passphrase'), `${passphrase}\n`)
    const command = async (server: TestServer, token: string, ...argv: readonly string[]) => {
      const said: string[] = []
      const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
      for (const output of [stdout, stderr]) output.on('data', (bytes) => said.push(String(bytes)))
      const all = ['operator', ...argv, '--base-url', server.url, '--token', token]
      assert.equal(await run({ argv: all, env: {}, cwd: folder, stdin, stdout, stderr }), 0, said.join(''))
    }
    const file = join(folder, 'sealed')
    const server = await start(await clustered())
    const there = await furnish(server)
    assert.equal((await server.visit(there.host, '/large.txt')).body, LARGE)
    const { token } = there.operator
    await command(
      ...[server, token, 'backup', '--with-key', '--passphrase-file', 'passphrase', '--output', 'sealed'],
    )
    await server.close()

    const sealed = await readFile(file)
    for (const text of ['manifest.json', 'master.key', 'kept.example', LARGE.slice(0, 60)])
      assert.equal(sealed.includes(text), false, `${text} is in the clear`)
    const readAt: ReadAt = async (position, length) => sealed.subarray(position, position + length)
    const opened = await openSealedBackup(readAt, sealed.length, passphrase)
    assertChecksums(await opened.readAt(0, opened.size))
    await assert.rejects(restore(asks(file, join(folder, 'never'))), /sealed with a passphrase/)

    const answers = async (again: TestServer, name: string) => {
      assert.equal((await again.visit(there.host, '/')).body, '<h1>kept</h1>', name)
      assert.equal((await again.visit(there.host, '/large.txt')).body, LARGE, name)
      const { body } = await again.call('GET /v4/domains/kept.example', { token: there.user.token })
      assert.equal(body.domain.name, 'kept.example')
    }
    for (const [name, env] of Object.entries({ others: await clustered(), alone: {} })) {
      const ALOFT_DATA_DIR = join(folder, name)
      const restored = await restore(
        asks(file, ALOFT_DATA_DIR, { env, passphraseFile: join(folder, 'passphrase') }),
      )
      assert.deepEqual([restored.blobs, restored.missing], [2, 0])
      const again = await start({ ...env, ALOFT_DATA_DIR })
      try {
        await answers(again, name)
        if (name === 'alone') continue
        // What was restored is on the disk of one machine; once it is moved, a machine with an empty disk has it too.
        await again.startJobs()
        await command(again, token, 'move-content')
        const ALOFT_MASTER_KEY = (await readFile(join(ALOFT_DATA_DIR, 'master.key'), 'utf8')).trim()
        const another = await start({ ...env, ALOFT_MASTER_KEY })
        await answers(another, 'another machine').finally(() => another.close())
      } finally {
        await again.close()
      }
    }
  }),
)
