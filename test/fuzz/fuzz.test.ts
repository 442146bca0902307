import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fuzz } from './fuzz.ts'
import { TARGETS } from './targets.ts'

/** So that a run of all tests says the same each time; `npm run test:fuzz` looks further. */
const SEED = 20_261_116
/** As much as is done within a second or two. */
const ROUNDS: Readonly<Record<string, number>> = {
  http: 60,
  json: 80,
  tars: 60,
  pem: 150,
  zips: 200,
  routes: 200,
}

for (const [name, open] of Object.entries(TARGETS))
  test(`${name}: input made by chance is taken or refused as it should be`, async (t) => {
    const targets = await open()
    t.after(async () => {
      for (const { close } of targets) await close?.()
    })
    const { counts, findings } = await fuzz(targets, { seed: SEED, rounds: ROUNDS[name] ?? 500 })
    for (const { target, round, error } of findings)
      assert.fail(
        `npm run test:fuzz -- --target ${target} --seed ${SEED} --round ${round}\n${(error as Error).stack}`,
      )
    t.diagnostic(`tried ${[...counts.values()].reduce((sum, count) => sum + count, 0)}`)
  })
