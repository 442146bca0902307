import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { it } from 'node:test'
import type { DatabaseConfig } from '#adapters/sql/database/database.ts'
import { usualDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'

const PROCESS = join(import.meta.dirname, '../../support/database/writer-process.ts')

/** The ids a writer got acknowledged before it was killed in the middle of its work. */
async function writeUntilKilled(config: DatabaseConfig, acknowledgements: number): Promise<string[]> {
  const writer = spawn(process.execPath, [PROCESS, JSON.stringify(config)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ids: string[] = []
  for await (const id of createInterface(writer.stdout)) {
    ids.push(id)
    if (ids.length === acknowledgements) writer.kill('SIGKILL')
  }
  if (writer.signalCode === null) await once(writer, 'exit')
  assert.equal(writer.signalCode, 'SIGKILL')
  return ids
}

it('keeps every acknowledged transaction of a process that is killed, and no half of another', async (t) => {
  const { config, stores, database } = await openStores(t, usualDatabase)
  const acknowledged: string[] = []
  for (const count of [1, 17, 40]) acknowledged.push(...(await writeUntilKilled(config, count)))
  for (const id of acknowledged) assert.equal((await stores.users.byId(id))?.id, id)

  const users = await database.db.selectFrom('users').select('id').execute()
  const jobs = await database.db.selectFrom('jobs').select('payload').execute()
  assert.deepEqual(jobs.map(({ payload }) => JSON.parse(payload).id).sort(), users.map(({ id }) => id).sort())
})
