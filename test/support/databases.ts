import { after, describe } from 'node:test'
import { type Postgres, startPostgres } from './postgres.ts'

/** Makes a fresh database: the address of one on PostgreSQL, undefined for the embedded one. */
export type OpenDatabase = () => Promise<string | undefined>

const missing = (process.env.ALOFT_TEST_MISSING ?? '').split(',')

let server: Promise<Postgres> | undefined

after(async () => {
  await (await server)?.stop()
})

async function openPostgres(): Promise<string> {
  server ??= startPostgres()
  return (await server).createDatabase()
}

/** Runs a suite on PostgreSQL alone. */
export function onPostgres(suite: (name: string, open: () => Promise<string>) => void): void {
  if (missing.includes('postgresql'))
    describe('PostgreSQL', { skip: 'postgresql is not installed' }, () => {})
  else suite('PostgreSQL', openPostgres)
}

/** Runs a suite on every database that Aloft can use. */
export function eachDatabase(suite: (name: string, open: OpenDatabase) => void): void {
  suite('SQLite', async () => undefined)
  onPostgres(suite)
}
