import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { deployed, visit } from '#test/support/deploying.ts'
import { type Installation, install, NOTHING_RUNS, uninstall } from '#test/support/installation.ts'
import { aboutSqlite } from '#test/support/several.ts'
import { fillDisk, mountTinyDisk, unmountTinyDisk } from '#test/support/storage/tiny-disk.ts'

const call = async (aloft: Installation, on: string, init: RequestInit = {}) => {
  const [method = 'GET', path] = on.split(' ')
  const headers = { authorization: `Bearer ${aloft.token}`, ...init.headers }
  const answer = await fetch(`${aloft.url}${path}`, { ...init, method, headers })
  return {
    status: answer.status,
    body: (await answer.json().catch(() => undefined)) as { error?: { message: string } },
  }
}

const upload = (aloft: Installation, bytes: Buffer) =>
  call(aloft, 'POST /v2/platform/files', {
    headers: { 'x-platform-digest': createHash('sha1').update(bytes).digest('hex') },
    body: new Uint8Array(bytes),
  })

const logsCheck = async (aloft: Installation) => {
  const { body } = await call(aloft, 'GET /v1/operator/status')
  const { checks } = body as unknown as { checks: { name: string; ok: boolean; message: string }[] }
  return checks.find(({ name }) => name === 'logs')
}

test('a full disk: sites are served through a restart, deletions work, and nothing else is taken', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'aloft-full-'))
  const reason = mountTinyDisk(dataDir, 256)
  if (reason !== undefined) return t.skip(reason)
  let aloft = await install({ env: { ...NOTHING_RUNS, ALOFT_DATA_DIR: dataDir } })
  t.after(async () => {
    await aloft.stop('SIGKILL')
    await uninstall(aloft)
    unmountTinyDisk(dataDir)
    await rm(dataDir, { recursive: true, force: true })
  })
  const kept = await deployed(aloft, { name: 'kept', files: { 'index.html': 'still here' } })
  const gone = await deployed(aloft, { name: 'gone', files: { 'index.html': 'gone soon' } })
  const page = async () => (await visit(aloft, kept.url, { path: '/' })).text
  assert.equal(await page(), 'still here')

  await fillDisk(join(dataDir, 'filler'))
  const refused = await upload(aloft, randomBytes(100_000))
  assert.equal(refused.status, 503)
  assert.match(refused.body.error?.message ?? '', /no space left/i)
  assert.equal(await page(), 'still here')

  assert.equal(await aloft.stop(), 0)
  aloft = await aloft.restart()
  assert.equal(await page(), 'still here')
  assert.match(aloft.stderr(), /the disk is nearly full/)
  // Only the embedded database has its logs on this disk.
  assert.equal((await logsCheck(aloft))?.ok, aloft.databaseUrl !== undefined)

  const deleted = await call(aloft, `DELETE /v8/platform/deployments/${gone.id}`)
  assert.equal(deleted.status, 200, JSON.stringify(deleted.body))
  assert.equal((await visit(aloft, gone.url, { path: '/' })).status, 410)

  await rm(join(dataDir, 'filler'))
  // Free space is looked at now and then.
  for (let n = 0; (await upload(aloft, randomBytes(1000))).status !== 200; n++) {
    assert.ok(n < 600, 'uploads are taken again once there is room')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  assert.equal((await logsCheck(aloft))?.ok, true)
})

test('damaged logs are set aside, named, and begun anew', { skip: aboutSqlite }, async (t) => {
  let aloft = await install({ env: NOTHING_RUNS })
  t.after(() => uninstall(aloft))
  const dataDir = join(aloft.folder, 'data')
  const { id, url } = await deployed(aloft, { name: 'logged', files: { 'index.html': 'x' } })
  assert.equal(await aloft.stop(), 0)
  await writeFile(join(dataDir, 'logs.db'), randomBytes(20_000))
  await rm(join(dataDir, 'logs.db-wal'), { force: true })

  aloft = await aloft.restart()
  assert.equal((await visit(aloft, url, { path: '/?after' })).status, 200)
  const aside = (await readdir(dataDir)).filter((name) => name.startsWith('logs.db.damaged-'))
  assert.equal(aside.length, 1)
  assert.equal((await stat(join(dataDir, aside[0] ?? ''))).size, 20_000)
  const check = await logsCheck(aloft)
  assert.deepEqual([check?.ok, check?.message.includes(aside[0] ?? '?')], [false, true])
  for (let n = 0; ; n++) {
    const { body } = await call(aloft, `GET /v2/platform/deployments/${id}/events`)
    if (JSON.stringify(body).includes('?after')) break
    assert.ok(n < 600, 'visits are in the new log')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
})

test('a damaged database is named when it keeps the installation from starting', {
  skip: aboutSqlite,
}, async (t) => {
  const aloft = await install({ env: NOTHING_RUNS })
  t.after(() => uninstall(aloft))
  await aloft.stop()
  const file = join(aloft.folder, 'data', 'aloft.db')
  await writeFile(file, randomBytes(20_000))
  await assert.rejects(aloft.restart(), (error: Error) => error.message.includes(`${file} is damaged`))
})
