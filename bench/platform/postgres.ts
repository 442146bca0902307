import { type Postgres, startPostgres } from '#test/support/database/postgres.ts'
import { isTrial } from '../measure/trial.ts'

/** A server of one's own, below this folder where one is named. The one of a test run does for a trial. */
export async function openPostgres(parent?: string): Promise<Postgres> {
  const { ALOFT_TEST_POSTGRES: folder } = process.env
  return isTrial && folder ? { folder, stop: async () => {} } : startPostgres(parent)
}
