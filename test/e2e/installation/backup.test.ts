import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { emptyDatabase } from '#test/support/database/postgres-databases.ts'
import { deployed, visit } from '#test/support/deploying.ts'
import { workTree } from '#test/support/git/git.ts'
import { install, uninstall } from '#test/support/installation.ts'

const MAIN = resolve(import.meta.dirname, '../../../bin/aloft.js')
const run = promisify(execFile)

test('what the command line saved of a running installation is all there after a loss', async (t) => {
  const aloft = await install()
  t.after(() => uninstall(aloft))
  const { databaseUrl } = aloft
  const data = join(aloft.folder, 'data')
  const env = {
    PATH: process.env.PATH,
    HOME: aloft.folder,
    ALOFT_BASE_URL: aloft.url,
    ALOFT_TOKEN: aloft.token,
    ALOFT_DATA_DIR: data,
    ...(databaseUrl === undefined ? {} : { ALOFT_DATABASE_URL: databaseUrl }),
  }
  const cli = async (...line: readonly string[]) =>
    JSON.parse((await run(process.execPath, [MAIN, ...line, '--json'], { cwd: aloft.folder, env })).stdout)

  const site = await deployed(aloft, { name: 'saved', files: { 'index.html': 'still here' } })
  const host = new URL(`http://${site.url}`).hostname
  const { user } = (await (
    await fetch(`${aloft.url}/v2/user`, { headers: { authorization: `Bearer ${aloft.token}` } })
  ).json()) as { user: { username: string } }
  const remote = `${aloft.url.replace('://', `://git:${aloft.token}@`)}/git/${user.username}/pushed.git`
  const tree = await workTree(t, { 'index.html': 'pushed' })
  const commit = await tree.commit()
  await tree.must('push', remote, 'main')
  const status = await cli('operator', 'status')
  const roles = new Set(status.processes.map(({ role }: { role: string }) => role))
  assert.deepEqual([...roles].sort(), ['serve', 'supervisor', 'work'])
  assert.notEqual(status.sandbox.kind, null)

  await writeFile(join(aloft.folder, 'pass'), 'correct horse battery staple\n', { mode: 0o600 })
  await writeFile(join(aloft.folder, 'wrong'), 'incorrect horse battery\n', { mode: 0o600 })
  const sealing = ['--passphrase-file', 'pass']
  const saved = await cli('operator', 'backup', '--with-key', '--output', 'saved.sealed', ...sealing)
  assert.equal((await stat(saved.file)).mode & 0o777, 0o600)
  const bytes = await readFile(saved.file)
  for (const clear of ['manifest.json', 'still here', 'operator@aloft.test'])
    assert.equal(bytes.includes(clear), false, clear)
  const restore = (...more: readonly string[]) => cli('operator', 'restore', 'saved.sealed', ...more)
  await assert.rejects(restore('--force'), /sealed with a passphrase/)
  await assert.rejects(restore('--force', '--passphrase-file', 'wrong'), /passphrase is not the one/)
  await assert.rejects(restore('--force', ...sealing), /A server is running/)

  await aloft.stop()
  await rm(data, { recursive: true })
  if (databaseUrl !== undefined) await emptyDatabase(databaseUrl)
  const restored = await restore(...sealing)
  assert.deepEqual([restored.dataDir, restored.missing], [data, 0])
  const again = await aloft.restart()
  try {
    assert.equal((await visit(again, host, { path: '/' })).text, 'still here')
    // What was pushed is there again, and goes on.
    const clone = await workTree(t)
    await clone.must('pull', '-q', remote, 'main')
    assert.equal(await clone.must('rev-parse', 'HEAD'), commit)
    await clone.commit('More')
    const more = await clone.git('push', remote, 'HEAD:main')
    assert.match(more.said, /main: live at/)
    const { accounts } = await cli('operator', 'accounts', 'ls')
    assert.deepEqual(
      accounts.map(({ email, projects }: Record<string, unknown>) => [email, projects]),
      [['operator@aloft.test', 2]],
    )
  } finally {
    await again.stop()
  }
})
