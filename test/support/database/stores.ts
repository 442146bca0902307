import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Database, type DatabaseConfig, openDatabase } from '#adapters/sql/database/database.ts'
import { createTransact } from '#adapters/sql/database/transact.ts'
import { createStores, type Stores } from '#adapters/sql/stores.ts'
import type { Transact } from '#core/ports/transact.ts'
import { createTestClock, type TestClock } from '../clock.ts'
import { quickFolder } from '../storage/quick-folder.ts'
import { giveBack, type OpenDatabase, removeDatabase } from './databases.ts'
import { copyDatabases } from './sqlite-template.ts'

export interface TestStores {
  readonly config: DatabaseConfig
  readonly database: Database
  readonly stores: Stores
  readonly transact: Transact<Stores>
  readonly clock: TestClock
  /** How often somebody was told of new jobs. */
  readonly wakes: () => number
  /** The same database as another process sees it. */
  again(): Promise<TestStores>
}

/** Stores on a fresh database, gone after the test. */
export async function openStores(
  t: TestContext,
  open: OpenDatabase,
  { migrated = true } = {},
): Promise<TestStores> {
  const folder = await mkdtemp(join(quickFolder, 'aloft-stores-'))
  const config = { url: await open({ migrated, lent: migrated }), file: join(folder, 'aloft.db') }
  if (migrated && config.url === undefined) await copyDatabases(folder, ['aloft.db'])
  const clock = createTestClock()
  const opened: Database[] = []
  t.after(async () => {
    for (const database of opened) await database.close()
    await (migrated ? giveBack(config.url) : removeDatabase(config.url))
    await rm(folder, { recursive: true, force: true })
  })

  async function connect(): Promise<TestStores> {
    const database = await openDatabase(config)
    opened.push(database)
    let wakes = 0
    const onJobs = () => {
      wakes++
    }
    return {
      config,
      database,
      clock,
      stores: createStores(database.db, { clock, onJobs }),
      transact: createTransact(database.db, { clock, onJobs }),
      wakes: () => wakes,
      again: connect,
    }
  }

  return connect()
}
