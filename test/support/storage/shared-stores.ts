import { startPostgres } from '../database/postgres.ts'
import { createDatabase } from '../database/postgres-databases.ts'
import { startRedis } from '../redis.ts'
import { startS3 } from './s3.ts'

/** For the `skip` of tests that need them. */
export const sharedStoresMissing =
  /postgresql|redis|moto/.test(process.env.ALOFT_TEST_MISSING ?? '') &&
  'postgresql, redis or moto is not installed'

export type SharedStores = Awaited<ReturnType<typeof startSharedStores>>

/** What the machines of one installation have in common, and the settings of each that lead there. */
export async function startSharedStores() {
  const [postgres, redis, s3] = await Promise.all([startPostgres(), startRedis(), startS3()])
  const env = {
    ALOFT_DATABASE_URL: await createDatabase(postgres.folder, { migrated: false }),
    ALOFT_REDIS_URL: `unix://${redis.socket}`,
    ALOFT_BLOB_URL: await s3.makeBucket('shared'),
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    ALOFT_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  }
  const stop = () => Promise.all([s3, redis, postgres].map((store) => store.stop()))
  return { redis, s3, env, stop }
}
