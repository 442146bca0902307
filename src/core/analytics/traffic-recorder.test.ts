import assert from 'node:assert/strict'
import { it } from 'node:test'
import { AloftError } from '#contract/errors.ts'
import { MINUTE } from '#contract/time.ts'
import { clockOf } from '#test/support/clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import type { SiteVisit } from '../site/site.ts'
import { TrafficRecorder } from './traffic-recorder.ts'
import type { TrafficRow } from './traffic-store.ts'

const AT = 1_700_000_000_000 - (1_700_000_000_000 % (60 * MINUTE))

function createWorld(given: { readonly maxCells?: number; readonly maxWaiting?: number } = {}) {
  const rows: TrafficRow[] = []
  const world = {
    rows,
    now: AT,
    fault: undefined as Error | undefined,
    recorder: new TrafficRecorder({
      store: {
        async add(added) {
          if (world.fault) throw world.fault
          rows.push(...added)
        },
      },
      clock: clockOf((): number => world.now),
      log: silentLog,
      ...given,
    }),
    visit: (part: Partial<SiteVisit> = {}) =>
      world.recorder.record({
        ...{ id: 'x', at: world.now, ms: 0, status: 200, bytes: 5, path: '/', method: 'GET' },
        ...{ deploymentId: 'dpl_a', projectId: 'prj_a', ownerId: 'o', environment: 'production' },
        ...{ host: 'h', protocol: 'HTTP/1.1', ip: '', userAgent: '', source: 'static', entrypoint: '' },
        ...part,
      }),
    /** Requests of rows of this kind. */
    sum: (step: string, deploymentId: string, path?: string) =>
      rows
        .filter((row) => row.step === step && row.deploymentId === deploymentId && row.path === path)
        .reduce((total, { tally }) => total + (tally[0] as number), 0),
  }
  return world
}

it('adds what came since the last time to the minute, the hour and the day, of deployment and project', async () => {
  const world = createWorld()
  world.visit()
  await world.recorder.flush()
  world.visit({ deploymentId: 'dpl_b' })
  world.visit()
  await world.recorder.flush()
  for (const step of ['minute', 'hour', 'day'])
    assert.deepEqual(
      ['', 'dpl_a', 'dpl_b'].map((id) => world.sum(step, id)),
      [3, 2, 1],
    )
  assert.ok(world.rows.every(({ path }) => path === undefined))
})

it('writes paths once the minute is over, and when it is closed', async () => {
  const world = createWorld()
  world.visit({ path: '/a?x' })
  await world.recorder.flush()
  assert.equal(world.sum('hour', '', '/a'), 0)
  world.now += MINUTE
  await world.recorder.flush()
  assert.equal(world.sum('hour', '', '/a'), 1)
  world.visit({ path: '/a' })
  await world.recorder.close()
  assert.equal(world.sum('day', 'dpl_a', '/a'), 2)
  assert.equal(world.sum('minute', ''), 2)
  assert.deepEqual(
    [...new Set(world.rows.filter(({ step }) => step === 'minute').map(({ at }) => at))],
    [AT, AT + MINUTE],
  )
})

it('keeps counts while the store does not answer, up to a bound, and gives up what it refuses', async () => {
  const world = createWorld({ maxWaiting: 12 })
  world.fault = new AloftError('service_unavailable', 'away')
  for (let i = 0; i < 3; i++) {
    world.visit()
    await world.recorder.flush()
  }
  world.fault = undefined
  await world.recorder.flush()
  assert.equal(world.sum('minute', ''), 2)
  world.fault = new Error('refused')
  world.visit()
  await world.recorder.flush()
  world.fault = undefined
  await world.recorder.close()
  assert.equal(world.sum('minute', ''), 2)
})

it('counts any number of deployments without holding them all', async () => {
  const world = createWorld({ maxCells: 3 })
  for (let i = 0; i < 10; i++) world.visit({ deploymentId: `dpl_${i}` })
  await world.recorder.close()
  assert.equal(world.sum('minute', ''), 10)
})
