import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type * as DatabaseModule from '#adapters/sql/database/database.ts'
import type * as TransactModule from '#adapters/sql/database/transact.ts'
import type * as StoresModule from '#adapters/sql/stores.ts'

const root = resolve(import.meta.dirname, '../..')
const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] })
    .toString()
    .trim()

const MIGRATIONS = 'src/adapters/sql/migrations'

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

/** Puts the program as it was before this migration came into the folder; answers its main file. */
export async function programWithout(migration: string, folder: string): Promise<string> {
  const added = git('log', '--diff-filter=A', '--format=%H', '-1', '--', `${MIGRATIONS}/${migration}.ts`)
  const archive = execFileSync('git', ['archive', `${added}~`, 'src', 'package.json'], {
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
