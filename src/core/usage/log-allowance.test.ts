import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PLAN_QUOTAS } from '#contract/limit/quotas.ts'
import { DAY } from '#contract/time.ts'
import type { LogDraft } from '#core/log/log-entry.ts'
import { createInstanceLog } from '#core/log/write/instance-log.ts'
import { createVisitLog } from '#core/log/write/visit-log.ts'
import type { SiteVisit } from '#core/site/site.ts'
import { createTestClock } from '#test/support/clock.ts'
import { usualDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { LogAllowance } from './log-allowance.ts'

async function open(t: Parameters<typeof openStores>[0], logBytes: number | null) {
  const { stores } = await openStores(t, usualDatabase)
  const clock = createTestClock()
  const quotas = { limitsById: async () => ({ ...PLAN_QUOTAS.free, logBytes }) }
  const another = () => new LogAllowance({ quotas, usage: stores.usage, clock, log: silentLog })
  const today = () => new Date(clock.now()).toISOString().slice(0, 10)
  return { stores, clock, another, used: () => stores.usage.used('anna', 'logBytes', today()) }
}

test('processes share what an account may record in a day, and the next day begins anew', async (t) => {
  const { clock, another, used } = await open(t, 1000)
  const [a, b] = [another(), another()]
  for (const each of [a, b]) {
    each.take('anna', 0)
    await each.flush()
  }
  assert.equal(a.take('anna', 600), true)
  assert.match(String(a.take('anna', 600)), /allows 1 KB of log entries a day, and 600 B are used/)
  assert.equal(a.take('anna', 600), false, 'it is told once')
  assert.equal(a.take('bert', 600), true, 'others have their own')
  await a.flush()
  await b.flush()
  assert.equal(await used(), 600)
  assert.equal(b.take('anna', 300), true)
  assert.notEqual(b.take('anna', 200), true)
  await b.flush()
  assert.equal(await used(), 900)
  clock.advance(DAY)
  assert.equal(a.take('anna', 900), true)
  await a.flush()
  assert.equal(await used(), 900)
})

test('what has no limit is counted all the same', async (t) => {
  const { another, used } = await open(t, null)
  const allowance = another()
  assert.equal(allowance.take('anna', 1e12), true)
  await allowance.flush()
  assert.equal(await used(), 1e12)
})

test('visits and lines beyond it are not recorded; one line says why', async (t) => {
  const { clock, another } = await open(t, 1500)
  const allowance = another()
  allowance.take('anna', 0)
  await allowance.flush()
  const drafts: LogDraft[] = []
  let visits = 0
  const record = (draft: LogDraft) => void drafts.push(draft)
  const common = { allowance, region: 'iad1' }
  const lines = createInstanceLog({ ...common, clock, writer: { record } })
  const recorded = createVisitLog({ ...common, clock, writer: { record, recordVisit: () => void visits++ } })
  const line = {
    deploymentId: 'd',
    instanceId: 'i',
    source: 'lambda',
    entrypoint: 'api',
    ownerId: 'anna',
  } as const
  lines.write({ ...line, text: 'x'.repeat(1000) })
  for (let i = 0; i < 5; i++) lines.write({ ...line, text: 'y'.repeat(1000) })
  const visit = {
    ...{ deploymentId: 'd', ownerId: 'anna', path: '/', userAgent: 'z'.repeat(400), host: 'a.test' },
    ...{ at: clock.now(), ms: 0 },
  }
  recorded.record(visit as SiteVisit)
  recorded.record({ ...visit, ownerId: 'bert' } as SiteVisit)
  assert.deepEqual(
    drafts.map(({ text }) => text.slice(0, 30)),
    ['x'.repeat(30), 'Your plan allows 1.5 KB of log'],
  )
  assert.equal(visits, 1)
})

test('a visit counts on the day on which it ended and is recorded', async (t) => {
  const { clock, another, used } = await open(t, 1000)
  const allowance = another()
  const writer = { record: () => {}, recordVisit: () => {} }
  const recorded = createVisitLog({ allowance, region: 'iad1', clock, writer })
  const visit = { deploymentId: 'd', ownerId: 'anna', path: '/', userAgent: '', host: 'a.test' }
  recorded.record({ ...visit, at: clock.now() - DAY, ms: DAY } as SiteVisit)
  await allowance.flush()
  assert.equal(await used(), 201)
})
