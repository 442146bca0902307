import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRedisBus, type RedisBus } from '#adapters/bus-redis/redis-bus.ts'
import { createMemoryBus } from '#adapters/memory/memory-bus.ts'
import type { Change } from '#contract/api/change.ts'
import { type Context, personalOwner } from '#core/access/context.ts'
import { createChangeAnnouncer } from '#core/change/change-announcer.ts'
import { createChanges } from '#core/change/changes.ts'
import type { Bus } from '#core/ports/bus.ts'
import { createGapBus } from '#test/support/gap-bus.ts'
import { startRedis, withoutRedis } from '#test/support/redis.ts'
import { sampleToken, sampleUser } from '#test/support/samples.ts'
import { silentLog } from '#test/support/silent-log.ts'

const user = sampleUser()
const token = sampleToken({ userId: user.id })
const actor = { user, token }
const ctx: Context = { actor, owner: personalOwner(user), origin: 'iad1', log: silentLog }
const teams = { membership: async () => undefined }

/** One process tells, another one has the listener. */
async function heardOver(announcing: Bus, listening: Bus): Promise<readonly Change[]> {
  const changes = createChanges({ bus: listening, teams })
  const heard = Promise.withResolvers<readonly Change[]>()
  changes.follow(ctx, {
    hear: heard.resolve,
    stillThere() {},
    end() {},
    findAgain: async () => actor,
  })
  const teller = createChangeAnnouncer({ bus: announcing })
  teller.tell([
    { ownerId: 'another', kind: 'secret', id: 'x' },
    { ownerId: user.id, kind: 'project', id: 'a', projectId: 'a' },
    { ownerId: user.id, kind: 'secret', id: 'one' },
    { ownerId: user.id, kind: 'secret', id: 'two' },
  ])
  teller.flush()
  const told = await heard.promise
  changes.close()
  assert.equal(changes.count(), 0)
  return told
}

const EXPECTED = [{ kind: 'project', id: 'a', projectId: 'a' }, { kind: 'secret' }]

test('changes of an account are heard, together', async () => {
  const bus = createMemoryBus({ log: silentLog })
  assert.deepEqual(await heardOver(bus, bus), EXPECTED)
})

test('they are heard on another machine, over Redis', { skip: withoutRedis }, async (t) => {
  const redis = await startRedis()
  t.after(() => redis.stop())
  const buses = [0, 1].map(() => createRedisBus({ redis: redis.connect(), log: silentLog }))
  t.after(() => Promise.all(buses.map((bus) => bus.close())))
  // Until each knows that it hears, it tells its listeners to ask for everything again.
  await Promise.all(buses.map((bus) => bus.untilHearing()))
  const [one, other] = buses as [RedisBus, RedisBus]
  assert.deepEqual(await heardOver(one, other), EXPECTED)
})

test('who may not listen any more is asked to leave at the next turn', async () => {
  const changes = createChanges({ bus: createMemoryBus({ log: silentLog }), teams, everyMs: 1 })
  await new Promise<void>((end) => {
    changes.follow(ctx, { hear() {}, stillThere() {}, end, findAgain: async () => undefined })
    // The timer does not keep a process alive.
    const alive = setInterval(() => changes.count() === 0 && clearInterval(alive), 5)
  })
  assert.equal(changes.count(), 0)
})

test('after a gap in the messages listeners are sent away, so that they ask for everything again', () => {
  const { bus, announceGap } = createGapBus()
  const changes = createChanges({ bus, teams })
  let ended = 0
  const listener = { hear() {}, stillThere() {}, end: () => ended++, findAgain: async () => actor }
  changes.follow(ctx, listener)
  changes.follow(ctx, listener)
  announceGap()
  assert.deepEqual([ended, changes.count()], [2, 0])
})
