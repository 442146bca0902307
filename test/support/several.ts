/**
 * What `npm run test:postgres` sets: whatever names no database itself is on PostgreSQL, and has several processes, or
 * several servers within a process.
 */
const { ALOFT_TEST_SEVERAL, ALOFT_TEST_POSTGRES } = process.env

export const isSeveral = ALOFT_TEST_SEVERAL === '1'

/** Why a test is skipped that is about the embedded database: its files, its locks, its journal. */
export const aboutSqlite = isSeveral && 'it is about SQLite'

/** A database of the server that all files share: with the schema of today, or empty. */
export async function openSeveral(options: { readonly migrated: boolean }): Promise<string> {
  if (ALOFT_TEST_POSTGRES === undefined) throw new Error('use npm run test:postgres -- <file>')
  const { createDatabase } = await import('./database/postgres-databases.ts')
  return createDatabase(ALOFT_TEST_POSTGRES, options)
}

export async function dropSeveral(url: string): Promise<void> {
  const { dropDatabase } = await import('./database/postgres-databases.ts')
  await dropDatabase(url)
}
