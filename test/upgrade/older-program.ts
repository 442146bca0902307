import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type * as DatabaseModule from '#adapters/sql/database/database.ts'
import type * as TransactModule from '#adapters/sql/database/transact.ts'
import type * as LogDatabaseModule from '#adapters/sql/log/log-database.ts'
import type * as TrafficModule from '#adapters/sql/log/traffic-store.ts'
import type * as StoresModule from '#adapters/sql/stores.ts'

const root = resolve(import.meta.dirname, '../..')
const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] })
    .toString()
    .trim()

const MIGRATIONS = 'src/adapters/sql/migrations'
/** Those of the logs. */
export const LOG_MIGRATIONS = 'src/adapters/sql/log/log-migrations'

function whyNot(): string | false {
  try {
    if (git('rev-parse', '--show-toplevel') !== root) return 'this is no clone'
    return git('rev-parse', '--is-shallow-repository') === 'true' && 'the clone has no history'
  } catch {
    return 'this is no clone'
  }
}

/** Why the program of an earlier version cannot be had, if so. */
export const withoutHistory = whyNot()

const commitBefore = (migration: string, among = MIGRATIONS): string =>
  `${git('log', '--diff-filter=A', '--format=%H', '-1', '--', `${among}/${migration}.ts`)}~`

const migrationsAt = (commit: string): readonly string[] =>
  git('ls-tree', '--name-only', commit, `${MIGRATIONS}/`)
    .split('\n')
    .flatMap((path) => /\/(\d{4}-[^./]+)\.ts$/.exec(path)?.[1] ?? [])

/**
 * The newest migration but one before which the program had none that there is not today: one that nobody had yet may have been
 * given another name.
 */
export function migrationToLack(migrations: readonly string[]): string {
  const isKept = (name: string) => migrations.includes(name)
  const found = migrations.slice(0, -1).findLast((name) => migrationsAt(commitBefore(name)).every(isKept))
  if (found === undefined) throw new Error('no earlier program has only migrations of today')
  return found
}

/** Puts the program as it was before this migration came into the folder; answers its main file. */
export async function programWithout(
  migration: string,
  folder: string,
  among?: typeof LOG_MIGRATIONS,
): Promise<string> {
  const archive = execFileSync('git', ['archive', commitBefore(migration, among), 'src', 'package.json'], {
    cwd: root,
    maxBuffer: 2 ** 29,
  })
  execFileSync('tar', ['-xf', '-', '-C', folder], { input: archive })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'src/main.ts')
}

type OlderStores = Pick<typeof DatabaseModule, 'openDatabase'> &
  Pick<typeof StoresModule, 'createStores'> &
  Pick<typeof TransactModule, 'createTransact'>

/** The stores of a program that `programWithout` has put into this folder. */
export async function storesIn(folder: string): Promise<OlderStores> {
  const load = (path: string) => import(join(folder, 'src/adapters/sql', path))
  const [{ openDatabase }, { createStores }, { createTransact }] = await Promise.all([
    load('database/database.ts'),
    load('stores.ts'),
    load('database/transact.ts'),
  ])
  return { openDatabase, createStores, createTransact }
}

/** How such a program counts visits. */
export async function countsIn(
  folder: string,
): Promise<
  Pick<typeof LogDatabaseModule, 'openLogDatabase'> & Pick<typeof TrafficModule, 'createTrafficStore'>
> {
  const load = (path: string) => import(join(folder, 'src/adapters/sql/log', path))
  const [{ openLogDatabase }, { createTrafficStore }] = await Promise.all([
    load('log-database.ts'),
    load('traffic-store.ts'),
  ])
  return { openLogDatabase, createTrafficStore }
}
