import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rmdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { onPostgres, removeDatabase } from '#test/support/database/databases.ts'
import { deployed, visit } from '#test/support/deploying.ts'
import { type Installation, install, NOTHING_RUNS, uninstall } from '#test/support/installation.ts'
import { aboutSqlite } from '#test/support/several.ts'

const MAIN = resolve(import.meta.dirname, '../../../bin/aloft.js')
const run = promisify(execFile)

onPostgres((_, open) => {
  test('an installation moves from SQLite to PostgreSQL and back, with all that it has', {
    skip: aboutSqlite,
  }, async (t) => {
    const aloft = await install({ env: NOTHING_RUNS })
    t.after(() => uninstall(aloft))
    const url = await open()
    t.after(() => removeDatabase(url))
    const data = join(aloft.folder, 'data')
    const env: Record<string, string | undefined> = {
      ...{ PATH: process.env.PATH, HOME: aloft.folder, ALOFT_DATA_DIR: data, ALOFT_DATABASE_URL: url },
    }
    const move = async (...more: readonly string[]) =>
      JSON.parse(
        (
          await run(process.execPath, [MAIN, 'operator', 'move-database', ...more, '--json'], {
            ...{ cwd: aloft.folder, env },
          })
        ).stdout,
      )
    const api = async (at: Installation, token: string, path: string, body?: object) => {
      const answer = await fetch(`${at.url}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      assert.ok(answer.ok, `${path} answered ${answer.status}`)
      return answer.json() as Promise<{ bearerToken: string; projects: { name: string }[] }>
    }

    const site = await deployed(aloft, { name: 'moved', files: { 'index.html': 'still here' } })
    const host = new URL(`http://${site.url}`).hostname
    const { bearerToken } = await api(aloft, aloft.token, '/v3/user/tokens', { name: 'old' })
    const before = await api(aloft, bearerToken, '/v9/projects')
    await assert.rejects(move(), /A server is running/)
    await aloft.stop()

    // It fails when PostgreSQL has committed everything, and the old database is still in its place.
    const note = join(data, 'database-moved')
    await mkdir(note)
    await assert.rejects(move())
    assert.ok(existsSync(join(data, 'aloft.db')))
    await rmdir(note)

    const moved = await move()
    assert.deepEqual([moved.to, moved.dataDir], ['postgresql', data])
    assert.ok(moved.rows > 10)
    assert.ok((await readdir(moved.keptIn)).includes('aloft.db'))
    await assert.rejects(move(), /There is no embedded database/)
    await assert.rejects(aloft.restart(), /was moved to PostgreSQL/)

    const onPostgres = await aloft.restart({ env: { ...NOTHING_RUNS, ALOFT_DATABASE_URL: url } })
    try {
      assert.equal((await visit(onPostgres, host, { path: '/' })).text, 'still here')
      assert.deepEqual(await api(onPostgres, bearerToken, '/v9/projects'), before)
      await deployed(onPostgres, { name: 'later', files: { 'index.html': 'later' } })
    } finally {
      await onPostgres.stop()
    }
    assert.equal(existsSync(join(data, 'aloft.db')), false)

    assert.equal((await move('--back')).to, 'sqlite')
    const back = await aloft.restart({ env: NOTHING_RUNS })
    try {
      assert.equal((await visit(back, host, { path: '/' })).text, 'still here')
      const { projects } = await api(back, bearerToken, '/v9/projects')
      assert.deepEqual(projects.map(({ name }) => name).toSorted(), ['later', 'moved'])
    } finally {
      await back.stop()
    }
    // What is there already is left alone, and so is what was to move.
    await assert.rejects(move(), /holds an installation already/)
    assert.ok(existsSync(join(data, 'aloft.db')))
    const another = await open()
    t.after(() => removeDatabase(another))
    env.ALOFT_DATABASE_URL = another
    assert.equal((await move()).to, 'postgresql')
  })
})
