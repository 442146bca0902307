import { after, describe } from 'node:test'
import { isSeveral } from '../several.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { createDatabase, dropDatabase, giveBackDatabase, lendDatabase } from './postgres-databases.ts'

interface OpenOptions {
  /** With the schema of today, rather than empty. */
  readonly migrated?: boolean
  /** For a while: `giveBack` makes it ready for the next who asks for one like it. */
  readonly lent?: boolean
}

/** Makes a fresh database: the address of one on PostgreSQL, undefined for the embedded one. */
export type OpenDatabase = (options?: OpenOptions) => Promise<string | undefined>

const missing = (process.env.ALOFT_TEST_MISSING ?? '').split(',')

/** Where the server listens that `npm test` has started for all files. A file that is run by itself starts its own. */
const { ALOFT_TEST_POSTGRES: shared } = process.env

let server: Promise<Postgres> | undefined

after(async () => {
  await (await server)?.stop()
})

async function openPostgres({ migrated = false, lent = false }: OpenOptions = {}): Promise<string> {
  if (shared === undefined) server ??= startPostgres()
  const folder = shared ?? (await (server as Promise<Postgres>)).folder
  return lent && migrated ? lendDatabase(folder) : createDatabase(folder, { migrated })
}

/** What was lent by `OpenDatabase`, once nobody uses it any more. */
export async function giveBack(url: string | undefined): Promise<void> {
  if (url !== undefined) await giveBackDatabase(url)
}

/** Removes what `OpenDatabase` has made, once nobody uses it any more. */
export async function removeDatabase(url: string | undefined): Promise<void> {
  if (url !== undefined) await dropDatabase(url)
}

/** For what is the same on every database: the embedded one; with `npm run test:postgres` one on PostgreSQL. */
export const usualDatabase: OpenDatabase = (options) =>
  isSeveral ? openPostgres(options) : Promise.resolve(undefined)

/** Runs a suite on PostgreSQL alone. */
export function onPostgres(
  suite: (name: string, open: (options?: OpenOptions) => Promise<string>) => void,
): void {
  if (missing.includes('postgresql'))
    describe('PostgreSQL', { skip: 'postgresql is not installed' }, () => {})
  else suite('PostgreSQL', openPostgres)
}

/** Runs a suite on every database that Aloft can use; with `npm run test:postgres` on that one alone. */
export function eachDatabase(suite: (name: string, open: OpenDatabase) => void): void {
  if (!isSeveral) suite('SQLite', async () => undefined)
  onPostgres(suite)
}
