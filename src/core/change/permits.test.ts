import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryBus } from '#adapters/memory/memory-bus.ts'
import { readProjectLogs } from '#contract/api/project-log.ts'
import { AloftError } from '#contract/errors.ts'
import { SECOND } from '#contract/time.ts'
import type { Bus } from '#core/ports/bus.ts'
import { createTestClock } from '#test/support/clock.ts'
import { createGapBus } from '#test/support/gap-bus.ts'
import { sampleTeam, sampleToken, sampleUser } from '#test/support/samples.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { type Actor, type Context, personalOwner } from '../access/context.ts'
import { CHANGES_TOPIC, type OwnedChange, writeChanges } from './change.ts'
import { createPermits } from './permits.ts'

const user = sampleUser()
const actor: Actor = { user, token: sampleToken({ userId: user.id }) }

/** Somebody who was let in for something, and what has become of them and of that since. */
function createWorld(given: { bus?: Bus; ctx?: Partial<Context> } = {}) {
  const { bus = createMemoryBus({ log: silentLog }) } = given
  const clock = createTestClock()
  const team = sampleTeam({ creatorId: user.id })
  const world = {
    clock,
    team,
    looks: 0,
    doubts: 0,
    isMember: true,
    who: actor as Actor | undefined,
    find: (async () => undefined) as (ctx: Context) => Promise<unknown>,
  }
  const teams = {
    membership: async () => (world.isMember ? { team, role: 'MEMBER' as const } : undefined),
  }
  const permits = createPermits({ bus, teams, clock })
  const ctx: Context = {
    ...{ actor, owner: personalOwner(user), origin: 'iad1', log: silentLog },
    ...given.ctx,
  }
  const open = permits.of({
    ...{ row: readProjectLogs, ctx },
    async findAgain() {
      world.looks++
      return world.who
    },
    find: (now) => world.find(now),
  })
  const permit = open(() => world.doubts++)
  const tell = async (...changes: OwnedChange[]) => {
    bus.publish(CHANGES_TOPIC, writeChanges(changes))
    await new Promise(setImmediate)
  }
  return Object.assign(world, { permits, permit, tell })
}

const away = new AloftError('service_unavailable', 'away')
const gone = new AloftError('not_found', 'gone')

test('a permit is looked up again after a while, and not every time', async () => {
  const world = createWorld()
  world.who = undefined
  assert.equal(await world.permit.holds(), true)
  assert.equal(world.looks, 0)
  world.clock.advance(20 * SECOND)
  assert.equal(await world.permit.holds(), false)
})

test('one that holds is good for another while', async () => {
  const world = createWorld()
  world.clock.advance(20 * SECOND)
  for (let i = 0; i < 3; i++) assert.equal(await world.permit.holds(), true)
  assert.equal(world.looks, 1)
})

test('it ends with what it is for, with the token, and where the token has become that of somebody else', async () => {
  const ends = [
    (world: ReturnType<typeof createWorld>) => {
      world.find = async () => Promise.reject(gone)
    },
    (world: ReturnType<typeof createWorld>) => {
      world.who = { ...actor, token: sampleToken({ userId: user.id }) }
    },
    (world: ReturnType<typeof createWorld>) => {
      world.who = { ...actor, user: sampleUser() }
    },
  ]
  for (const end of ends) {
    const world = createWorld()
    end(world)
    world.clock.advance(20 * SECOND)
    assert.equal(await world.permit.holds(), false)
  }
})

test('a change of the account, of its projects or of who it is for is looked into at once, and no other is', async () => {
  const world = createWorld()
  await world.tell(
    { ownerId: 'another', kind: 'token' },
    { ownerId: user.id, kind: 'deployment' },
    { ownerId: user.id, kind: 'secret' },
  )
  assert.deepEqual([world.doubts, await world.permit.holds(), world.looks], [0, true, 0])
  for (const kind of ['token', 'session', 'member', 'integration', 'project'] as const) {
    const { doubts, looks } = world
    await world.tell({ ownerId: user.id, kind })
    assert.deepEqual(
      [world.doubts, await world.permit.holds(), world.looks],
      [doubts + 1, true, looks + 1],
      kind,
    )
  }
  world.who = undefined
  await world.tell({ ownerId: user.id, kind: 'token' })
  assert.equal(await world.permit.holds(), false)
})

test('what changes while it is looked up is looked up as well', async () => {
  const world = createWorld()
  world.find = async () => {
    world.who = undefined
    await world.tell({ ownerId: user.id, kind: 'token' })
  }
  world.clock.advance(20 * SECOND)
  assert.equal(await world.permit.holds(), false)
  assert.equal(world.looks, 2)
})

test('somebody who acts for a team passes for as long as they are in it', async () => {
  const team = sampleTeam({ creatorId: user.id })
  const owner = { ...personalOwner(user), id: team.id, kind: 'team' as const }
  const world = createWorld({ ctx: { owner } })
  await world.tell({ ownerId: team.id, kind: 'member' })
  assert.equal(await world.permit.holds(), true)
  world.isMember = false
  await world.tell({ ownerId: team.id, kind: 'member' })
  assert.equal(await world.permit.holds(), false)
})

test('where there is no telling it is asked again, however the look-up failed', async () => {
  for (const fault of [away, new Error('broken')]) {
    const world = createWorld()
    world.find = async () => Promise.reject(fault)
    world.clock.advance(20 * SECOND)
    await assert.rejects(world.permit.holds(), { kind: 'service_unavailable' })
    await assert.rejects(world.permit.holds(), { kind: 'service_unavailable' })
    world.find = async () => undefined
    assert.equal(await world.permit.holds(), true)
  }
})

test('after a gap in the messages it is looked up', async () => {
  const { bus, announceGap } = createGapBus()
  const world = createWorld({ bus })
  world.who = undefined
  announceGap()
  assert.deepEqual([world.doubts, await world.permit.holds()], [1, false])
})

test('one that has ended is told nothing', async () => {
  const world = createWorld()
  world.permit.end()
  await world.tell({ ownerId: user.id, kind: 'token' })
  assert.deepEqual([world.doubts, world.permits.count()], [0, 0])
})
