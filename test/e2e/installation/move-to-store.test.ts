import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { onPostgres, removeDatabase } from '#test/support/database/databases.ts'
import { deployed, visit } from '#test/support/deploying.ts'
import { type Installation, install, NOTHING_RUNS, uninstall } from '#test/support/installation.ts'
import { aboutSqlite } from '#test/support/several.ts'
import { type Fate, startFlakyProxy } from '#test/support/storage/flaky-proxy.ts'
import { shareS3, withoutS3 } from '#test/support/storage/s3.ts'

const MAIN = resolve(import.meta.dirname, '../../../bin/aloft.js')
const LARGE = 20

/** Many contents that share packs, and some that have objects of their own. */
const FILES = Object.fromEntries([
  ...Array.from({ length: 600 }, (_, n) => [`${n}.txt`, `page ${n} `.repeat(1 + (n % 50))]),
  ...Array.from({ length: LARGE }, (_, n) => [`large-${n}.txt`, `large ${n} `.repeat(10_000)]),
]) as Record<string, string>

/** How many of the large ones a move knows to be in the object store. */
function notedLarge(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return Number(
      database.prepare(`select count(*) as noted from contents where object like 'large/%'`).get()?.noted,
    )
  } finally {
    database.close()
  }
}

onPostgres((_, open) => {
  test('an installation moves to PostgreSQL and an object store by one command, whenever that is killed and given again', {
    skip: aboutSqlite || withoutS3,
  }, async (t) => {
    const aloft = await install({ env: NOTHING_RUNS })
    t.after(() => uninstall(aloft))
    const url = await open()
    t.after(() => removeDatabase(url))
    const s3 = await shareS3()
    let fateOf = (_on: string): Fate => 'pass'
    const proxy = await startFlakyProxy(s3.endpoint, (on) => fateOf(on))
    t.after(async () => {
      await proxy.close()
      await s3.stop()
    })
    const bucket = await s3.makeBucket('moved')
    const data = join(aloft.folder, 'data')
    const settings = (endpoint: string) => ({
      ALOFT_DATABASE_URL: url,
      ALOFT_BLOB_URL: bucket.replace(encodeURIComponent(s3.endpoint), encodeURIComponent(endpoint)),
      ...{ AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' },
    })
    const move = (...more: readonly string[]) => {
      const env = { PATH: process.env.PATH, HOME: aloft.folder, ALOFT_DATA_DIR: data }
      const child = spawn(process.execPath, [MAIN, 'operator', 'move-database', '--json', ...more], {
        ...{ cwd: aloft.folder, env: { ...env, ...settings(proxy.url) }, detached: true },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
      return {
        kill: () => process.kill(-(child.pid ?? assert.fail()), 'SIGKILL'),
        async end() {
          const [stdout, stderr, [code]] = await ended
          return { code, said: stdout + stderr, moved: code === 0 ? JSON.parse(stdout) : undefined }
        },
      }
    }
    const large = () => proxy.seen.filter((on) => /^PUT .*\/large\//.test(on)).length
    const sites = new Map<string, Record<string, string>>()
    const deploy = async (at: Installation, name: string, files: Record<string, string>) => {
      const { url } = await deployed(at, { name, files })
      sites.set(new URL(`http://${url}`).hostname, files)
    }
    const allAnswer = async (at: Installation) => {
      for (const [host, files] of sites)
        for (const [file, content] of Object.entries(files)) {
          const { status, text } = await visit(at, host, { path: `/${file}` })
          assert.ok(status === 200 && text === content, `${file}: ${status}`)
        }
    }
    await deploy(aloft, 'many', FILES)
    await aloft.stop()

    // Killed while contents are copied. The old installation is as it was.
    const heldBack = Promise.withResolvers<void>()
    fateOf = (on) => {
      if (!/^PUT .*\/large\//.test(on) || large() < LARGE / 2) return 'pass'
      heldBack.resolve()
      return 'hold'
    }
    const first = move()
    await heldBack.promise
    // The answer to what was let pass may still be on its way.
    while (notedLarge(join(data, '.moving/places.db')) === 0) await pause(10)
    first.kill()
    assert.equal((await first.end()).code, null)
    fateOf = () => 'pass'
    const again = await aloft.restart({ env: NOTHING_RUNS })
    await allAnswer(again)
    const before = large()
    assert.ok(before > 0)

    // While it runs, contents are copied ahead, and only those that were not.
    const ahead = await move().end()
    assert.equal(ahead.code, 1)
    assert.match(ahead.said, /while the server is running; nothing else was moved/)
    assert.ok(large() - before < LARGE, `${large() - before} large contents were copied again`)
    await deploy(again, 'late', { 'index.html': 'late', 'late.txt': 'late '.repeat(20_000) })
    await again.stop()

    // Killed when PostgreSQL has everything, and nobody was told so yet.
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const third = move()
    const ended = third.end()
    for (let isThere = false; !isThere; ) {
      const { rows } = await client.query(`select to_regclass('settings') is not null as there`)
      isThere = rows[0].there
    }
    third.kill()
    await client.end()
    assert.equal((await ended).code, null)

    const early = await aloft.restart({ env: { ...NOTHING_RUNS, ...settings(s3.endpoint) } })
    await allAnswer(early)
    assert.match((await move().end()).said, /A server is running/)
    await early.stop()

    const { moved, said } = await move().end()
    assert.ok(moved, said)
    assert.deepEqual([moved.to, moved.dataDir], ['postgresql', data])
    assert.ok(moved.rows > 600 && moved.contents >= Object.keys(FILES).length + 2, said)
    const kept = await readdir(moved.keptIn)
    assert.ok(kept.includes('aloft.db') && kept.includes('blobs'), kept.join())
    for (const name of ['aloft.db', 'blobs', '.moving'])
      assert.equal(existsSync(join(data, name)), false, name)
    assert.ok(existsSync(join(data, 'database-moved')))

    // Nothing but the object store has the contents.
    await rm(join(data, 'content-copies'), { recursive: true })
    const onStore = await aloft.restart({ env: { ...NOTHING_RUNS, ...settings(s3.endpoint) } })
    try {
      await allAnswer(onStore)
      await deploy(onStore, 'later', { 'index.html': 'later' })
      assert.match((await move('--back').end()).said, /A server is running/)
    } finally {
      await onStore.stop()
    }

    // What was kept is the old installation.
    for (const name of kept) await rename(join(moved.keptIn, name), join(data, name))
    await rm(join(data, 'database-moved'))
    const old = await aloft.restart({ env: NOTHING_RUNS })
    try {
      for (const [host, files] of sites) if (files['index.html'] === 'later') sites.delete(host)
      await allAnswer(old)
    } finally {
      await old.stop()
    }
  })
})
