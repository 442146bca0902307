import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createDatabaseClock } from '#adapters/sql/database/database-clock.ts'
import { HOUR, MINUTE } from '#contract/time.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { createTestClock } from '#test/support/clock.ts'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'

eachDatabase((name, open) =>
  describe(`the time of the database on ${name}`, () => {
    it('is the same for machines whose clocks differ, and are set', async (t) => {
      const { db } = (await openStores(t, open)).database
      const clock = createTestClock()
      clock.jump(-HOUR)
      const timeOf = createDatabaseClock(db, clock)
      const isRight = async () => Math.abs((await timeOf()) - systemClock.now()) < 10 * MINUTE
      assert.ok(await isRight())
      clock.jump(3 * HOUR)
      assert.ok(await isRight())
    })

    it('is asked for again where its clock has not been heard of for a while, or the machine slept', async (t) => {
      const { db } = (await openStores(t, open)).database
      const clock = createTestClock()
      // The monotonic clock stands still while a machine sleeps.
      let slept = 0
      const sleeper = { now: clock.now, monotonic: () => clock.monotonic() - slept }
      const timeOf = createDatabaseClock(db, sleeper)
      const before = await timeOf()
      clock.advance(HOUR)
      assert.ok((await timeOf()) - before < HOUR / 2, 'the database knows nothing of that hour')
      slept = HOUR
      assert.ok(Math.abs((await timeOf()) - before) < HOUR / 2)
    })
  }),
)
