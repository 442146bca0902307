import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, test } from 'node:test'
import { eachDatabase } from '#test/support/database/databases.ts'
import { isSeveral } from '#test/support/several.ts'
import { randomKills } from './load/kills.ts'
import { World } from './load/world.ts'

/** `npm run test:faults` has many more of them. */
const ROUNDS = 3
/** New processes start the sooner, beside a load that leaves them the processor. */
const PAUSE_MS = 40

/** On PostgreSQL too with `ALOFT_TEST_LONG=1`; `npm run test:faults` has half of its kills there. */
const onDatabases: typeof eachDatabase = (suite) =>
  process.env.ALOFT_TEST_LONG || isSeveral ? eachDatabase(suite) : suite('SQLite', async () => undefined)

onDatabases((name, open) =>
  describe(`kills under load, on ${name}`, () => {
    test('nothing that was acknowledged is lost, and everything comes back', async (t) => {
      const seed = Number(process.env.ALOFT_FAULTS_SEED ?? randomInt(2 ** 31))
      t.diagnostic(`seed ${seed}: repeat it with ALOFT_FAULTS_SEED=${seed}`)
      const url = await open()
      const world = await World.create({
        seed,
        pauseMs: PAUSE_MS,
        ...(url === undefined ? {} : { env: { ALOFT_DATABASE_URL: url } }),
      })
      t.after(() => world.close())
      for await (const { victim, lost } of randomKills(world, ROUNDS, seed))
        assert.deepEqual(lost, [], `after the death of a ${victim}, seed ${seed}`)
      assert.deepEqual(world.counts.wrong, [])
      assert.ok(world.counts.api.ok > 0 && world.counts.visits.ok > 0)
    })
  }),
)
