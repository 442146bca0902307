import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Database } from '#adapters/sql/database/database.ts'
import { openLogDatabase } from '#adapters/sql/log/log-database.ts'
import { createLogStore } from '#adapters/sql/log/log-store.ts'
import type { LogTables } from '#adapters/sql/log/log-tables.ts'
import type { LogEntry, NewLogEntry } from '#core/log/log-entry.ts'
import type { LogQuery, LogStore } from '#core/log/log-store.ts'
import { giveBack, type OpenDatabase, removeDatabase } from './database/databases.ts'
import { copyDatabases } from './database/sqlite-template.ts'
import { quickFolder } from './storage/quick-folder.ts'

export interface TestLogs {
  readonly config: { readonly url: string | undefined; readonly file: string }
  readonly database: Database<LogTables>
  readonly store: LogStore
  /** The same logs as another process sees them. */
  again(): Promise<TestLogs>
}

/** Logs on a fresh database, gone after the test; where it has no schema yet, only theirs is made. */
export async function openLogs(
  t: TestContext,
  open: OpenDatabase,
  { migrated = true } = {},
): Promise<TestLogs> {
  const folder = await mkdtemp(join(quickFolder, 'aloft-logs-'))
  const config = { url: await open({ migrated, lent: migrated }), file: join(folder, 'logs.db') }
  if (migrated && config.url === undefined) await copyDatabases(folder, ['logs.db'])
  const opened: Database<LogTables>[] = []
  t.after(async () => {
    for (const database of opened) await database.close()
    await (migrated ? giveBack(config.url) : removeDatabase(config.url))
    await rm(folder, { recursive: true, force: true })
  })

  async function connect(): Promise<TestLogs> {
    const database = await openLogDatabase(config)
    opened.push(database)
    return { config, database, store: createLogStore(database.db), again: connect }
  }

  const first = await connect()
  if (!migrated) await first.database.migrate()
  return first
}

export const NOW = 1_700_000_000_000

let count = 0

/** What a build printed at `NOW`, unless said. */
export const sampleLine = (given: Partial<NewLogEntry> = {}): NewLogEntry => ({
  id: `${NOW}${String(count++).padStart(11, '0')}`,
  takenAt: NOW,
  deploymentId: 'dpl_a',
  type: 'stdout',
  at: NOW - 5,
  text: `line ${count}`,
  info: { type: 'build', name: 'bld_1', entrypoint: 'package.json' },
  region: 'iad1',
  ...given,
})

/** The answer to a visit. */
export const sampleResponse = (
  given: Partial<NewLogEntry> & { readonly status?: number } = {},
): NewLogEntry => {
  const { status = 200, ...rest } = given
  return sampleLine({
    type: 'response',
    text: `GET / ${status} 3ms`,
    info: { type: 'static', name: 'a.aloft.test', entrypoint: 'index.html' },
    request: {
      method: 'GET',
      uri: '/',
      protocol: 'HTTP/1.1',
      remoteAddr: '192.0.2.1',
      userAgent: 'curl/8',
      host: 'a.aloft.test',
      status,
      bodyBytesSent: 12,
    },
    ...rest,
  })
}

/** Everything that a query means, page by page. */
export async function readAll(
  store: LogStore,
  query: Partial<LogQuery> = {},
  deploymentId = 'dpl_a',
): Promise<LogEntry[]> {
  const { direction = 'forward', limit = 100_000, ...filter } = query
  const entries: LogEntry[] = []
  let from = {}
  for (;;) {
    const page = await store.read(deploymentId, {
      ...filter,
      ...from,
      direction,
      limit: limit - entries.length,
    })
    entries.push(...page.entries)
    if (page.complete || entries.length === limit) return entries
    from = direction === 'forward' ? { after: page.position } : { before: page.position }
  }
}
