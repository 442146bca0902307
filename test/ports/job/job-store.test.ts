import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JobStore } from '#core/job/job-queue.ts'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'

const NOW = 1_700_000_000_000

interface Claim {
  readonly now?: number
  readonly leaseUntil?: number
  readonly limit?: number
}

const claimAs =
  (worker: string, kinds = ['mail', 'build']) =>
  (jobs: JobStore, { now = NOW, leaseUntil = now + 1000, limit = 10 }: Claim = {}) =>
    jobs.claim({ kinds, worker, now, leaseUntil, limit })

const a = claimAs('a')
const b = claimAs('b')

eachDatabase((name, open) =>
  describe(`jobs on ${name}`, () => {
    it('hands a job out as it was enqueued, once', async (t) => {
      const { jobs } = (await openStores(t, open)).stores
      const payload = { text: 'Zoë "\\ \0', list: [1, null, { deep: true }] }
      const id = await jobs.enqueue({ kind: 'mail', payload, key: 'k', runAt: NOW })
      assert.deepEqual(await a(jobs), [{ id, kind: 'mail', payload, key: 'k', attempts: 1 }])
      assert.deepEqual(await b(jobs), [])
    })

    it('has leases run out by a clock that may differ from that by which jobs are due', async (t) => {
      const { jobs } = (await openStores(t, open)).stores
      const enqueue = (runAt: number) => jobs.enqueue({ kind: 'mail', payload: {}, share: 'a', runAt })
      const leased = await enqueue(NOW)
      assert.equal((await a(jobs)).length, 1)
      const waits = await enqueue(NOW + 3000)
      const ahead = { kinds: ['mail'], worker: 'b', now: NOW + 5000, leaseUntil: NOW + 9000, limit: 10 }
      const leaseNow = NOW + 500
      const ordered = { ...ahead, leaseNow, share: 'a', oneAtATime: true }
      assert.deepEqual(await jobs.waiting('mail', ahead.now, leaseNow), [{ share: 'a', running: 1 }])
      assert.deepEqual(
        (await jobs.queue('mail', ahead.now, 10, leaseNow)).map(({ id }) => id),
        [waits],
      )
      assert.deepEqual(await jobs.claim(ordered), [], 'one of the share is leased')
      const claimed = await jobs.claim({ ...ahead, leaseNow })
      assert.deepEqual(
        claimed.map(({ id }) => id),
        [waits],
      )
      const behind = { ...ahead, now: NOW - 5000, leaseNow: NOW + 1000 }
      assert.deepEqual(
        (await jobs.claim(behind)).map(({ id }) => id),
        [leased],
        'its lease has run out, whatever the time of day',
      )
    })

    it('takes a job back that nobody has begun, and no other', async (t) => {
      const { jobs } = (await openStores(t, open)).stores
      await jobs.enqueue({ kind: 'mail', payload: {}, key: 'waits', runAt: NOW })
      await jobs.enqueue({ kind: 'build', payload: {}, key: 'runs', runAt: NOW - 1 })
      assert.equal((await a(jobs, { limit: 1 }))[0]?.key, 'runs')
      assert.equal(await jobs.withdraw('waits'), true)
      assert.equal(await jobs.withdraw('waits'), false)
      assert.equal(await jobs.withdraw('runs'), false)
      assert.deepEqual(await b(jobs), [])
    })

    it('takes another job of a key once the first was begun and said so', async (t) => {
      const { jobs } = (await openStores(t, open)).stores
      const enqueue = () => jobs.enqueue({ kind: 'mail', payload: {}, key: 'k', runAt: NOW })
      const first = await enqueue()
      await jobs.begun('k')
      assert.equal(await enqueue(), first, 'nobody has begun it')
      await a(jobs)
      assert.equal(await enqueue(), first)
      await jobs.begun('k')
      const second = await enqueue()
      assert.notEqual(second, first)
      assert.equal(await enqueue(), second)
      assert.equal(await jobs.complete(first, 'a'), true)
    })

    it('leases one job of a share at a time where that is asked, in their order, however many workers ask', async (t) => {
      const { jobs } = (await openStores(t, open)).stores
      const ids: string[] = []
      for (let n = 0; n < 6; n++)
        ids.push(await jobs.enqueue({ kind: 'push', payload: {}, share: 'site', runAt: NOW + n }))
      const workers = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
      const now = NOW + 10
      const ask = (share: string) => (worker: string) =>
        jobs.claim({
          ...{ kinds: ['push'], worker, now, leaseUntil: now + 1000, limit: 1 },
          ...{ share, oneAtATime: true },
        })
      for (const id of ids) {
        const claims = await Promise.all(workers.map(ask('site')))
        assert.deepEqual(
          claims.flat().map((job) => job.id),
          [id],
        )
        const worker = workers[claims.findIndex(({ length }) => length > 0)] as string
        assert.equal(await jobs.complete(id, worker), true)
      }
      // Others do not wait for it, and a lease that ran out keeps nobody.
      for (const share of ['site', 'other'])
        await jobs.enqueue({ kind: 'push', payload: {}, share, runAt: NOW })
      assert.equal((await ask('site')('a')).length, 1)
      assert.equal((await ask('other')('b')).length, 1)
      const late = { kinds: ['push'], worker: 'c', now: now + 2000, leaseUntil: now + 3000, limit: 1 }
      assert.equal((await jobs.claim({ ...late, share: 'site', oneAtATime: true })).length, 1)
    })

    it('is due at once unless a time is given', async (t) => {
      const { stores, clock } = await openStores(t, open)
      await stores.jobs.enqueue({ kind: 'mail', payload: {} })
      assert.equal((await a(stores.jobs, { now: clock.now() })).length, 1)
    })

    it('hands out what is due, of the kinds asked for, the longest due first', async (t) => {
      const { jobs } = (await openStores(t, open)).stores
      const enqueue = (kind: string, runAt: number) => jobs.enqueue({ kind, payload: {}, runAt })
      const second = await enqueue('mail', NOW - 2)
      const third = await enqueue('build', NOW - 1)
      const first = await enqueue('build', NOW - 3)
      await enqueue('other', NOW - 9)
      await enqueue('mail', NOW + 1)
      const ids = async (limit: number) => (await a(jobs, { limit })).map(({ id }) => id)
      assert.deepEqual(await ids(2), [first, second])
      assert.deepEqual(await ids(2), [third])
      assert.deepEqual(await ids(2), [])
      assert.deepEqual(await claimAs('a', [])(jobs), [])
      assert.deepEqual(await a(jobs, { now: NOW + 1, limit: 0 }), [])
      assert.equal((await a(jobs, { now: NOW + 1 })).length, 1)
    })

    it('never hands a job to two of many workers that ask at once', async (t) => {
      const first = await openStores(t, open)
      const handles = [first, await first.again(), await first.again(), await first.again()]
      await first.transact(async ({ jobs }) => {
        for (let i = 0; i < 60; i++) await jobs.enqueue({ kind: 'mail', payload: { i }, runAt: NOW })
      })
      const claimed: string[] = []
      await Promise.all(
        handles.flatMap(({ stores }, handle) =>
          Array.from({ length: 3 }, async (_, i) => {
            const claim = claimAs(`${handle}/${i}`)
            for (let empty = 0; empty < 2; ) {
              const jobs = await claim(stores.jobs, { limit: 3 })
              if (jobs.length === 0) empty++
              claimed.push(...jobs.map(({ id }) => id))
            }
          }),
        ),
      )
      assert.equal(claimed.length, 60)
      assert.equal(new Set(claimed).size, 60)
    })

    it('hands a job out again when its lease ran out, and believes the old worker no more', async (t) => {
      const { jobs } = (await openStores(t, open)).stores
      const id = await jobs.enqueue({ kind: 'mail', payload: {}, runAt: NOW })
      await a(jobs, { leaseUntil: NOW + 100 })
      assert.deepEqual(await b(jobs, { now: NOW + 99 }), [])
      const [job] = await b(jobs, { now: NOW + 100 })
      assert.equal(job?.id, id)
      assert.equal(job?.attempts, 2)
      assert.equal(await jobs.extend(id, 'a', NOW + 9999), false)
      assert.equal(await jobs.retry(id, 'a', NOW, 'late'), false)
      assert.equal(await jobs.bury(id, 'a', 'late', NOW), false)
      assert.equal(await jobs.complete(id, 'a'), false)
      assert.equal(await jobs.complete(id, 'b'), true)
      assert.deepEqual(await jobs.counts(), { queued: 0, running: 0, failed: 0 })
    })

    it('keeps a job with a worker that extends its lease', async (t) => {
      const { jobs } = (await openStores(t, open)).stores
      const id = await jobs.enqueue({ kind: 'mail', payload: {}, runAt: NOW })
      await a(jobs, { leaseUntil: NOW + 100 })
      assert.equal(await jobs.extend(id, 'a', NOW + 200), true)
      assert.deepEqual(await b(jobs, { now: NOW + 150 }), [])
      assert.equal((await b(jobs, { now: NOW + 200 })).length, 1)
    })

    it('runs a job again at the time its failure names', async (t) => {
      const { jobs } = (await openStores(t, open)).stores
      const id = await jobs.enqueue({ kind: 'mail', payload: {}, runAt: NOW })
      await a(jobs)
      assert.equal(await jobs.retry(id, 'a', NOW + 500, 'not\0 yet'), true)
      assert.equal(await jobs.complete(id, 'a'), false)
      assert.deepEqual(await a(jobs, { now: NOW + 499 }), [])
      const [again] = await a(jobs, { now: NOW + 500 })
      assert.equal(again?.attempts, 2)
    })

    it('keeps a buried job for people to see until it is pruned, and runs it no more', async (t) => {
      const { jobs } = (await openStores(t, open)).stores
      const id = await jobs.enqueue({ kind: 'mail', payload: {}, runAt: NOW })
      await a(jobs)
      assert.equal(await jobs.bury(id, 'a', 'x'.repeat(100_000), NOW + 5), true)
      assert.deepEqual(await b(jobs, { now: NOW + 1_000_000 }), [])
      assert.equal(await jobs.extend(id, 'a', NOW + 1), false)
      assert.equal(await jobs.nextDue(['mail']), undefined)
      assert.deepEqual(await jobs.counts(), { queued: 0, running: 0, failed: 1 })
      assert.equal(await jobs.prune(NOW + 5), 0)
      assert.equal(await jobs.prune(NOW + 6), 1)
      assert.deepEqual(await jobs.counts(), { queued: 0, running: 0, failed: 0 })
    })

    it('has one unfinished job of a key, waiting or running', async (t) => {
      const { jobs } = (await openStores(t, open)).stores
      const job = { kind: 'mail', payload: {}, key: 'k', runAt: NOW }
      const id = await jobs.enqueue(job)
      assert.equal(await jobs.enqueue(job), id)
      await a(jobs)
      assert.equal(await jobs.enqueue({ ...job, kind: 'build' }), id)
      assert.notEqual(await jobs.enqueue({ ...job, key: 'other' }), id)
      await jobs.complete(id, 'a')
      assert.notEqual(await jobs.enqueue(job), id)
    })

    it('forgets the key of a buried job', async (t) => {
      const { jobs } = (await openStores(t, open)).stores
      const job = { kind: 'mail', payload: {}, key: 'k', runAt: NOW }
      const ids: string[] = []
      for (let i = 0; i < 2; i++) {
        const id = await jobs.enqueue(job)
        await a(jobs)
        await jobs.bury(id, 'a', 'no', NOW)
        ids.push(id)
      }
      assert.equal(new Set(ids).size, 2)
      assert.deepEqual(await jobs.counts(), { queued: 0, running: 0, failed: 2 })
    })

    it('gives all that race for a key the same job', async (t) => {
      const first = await openStores(t, open)
      const all = [first, await first.again()]
      const ids = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          (all[i % 2] ?? first).transact(({ jobs }) => jobs.enqueue({ kind: 'mail', payload: {}, key: 'k' })),
        ),
      )
      assert.equal(new Set(ids).size, 1)
      assert.equal((await first.stores.jobs.counts()).queued, 1)
    })

    it('says when the next job can be claimed, be it waiting or leased', async (t) => {
      const { jobs } = (await openStores(t, open)).stores
      assert.equal(await jobs.nextDue(['mail']), undefined)
      await jobs.enqueue({ kind: 'mail', payload: {}, runAt: NOW })
      await jobs.enqueue({ kind: 'mail', payload: {}, runAt: NOW + 700 })
      assert.equal(await jobs.nextDue(['mail']), NOW)
      assert.equal(await jobs.nextDue(['build']), undefined)
      assert.equal(await jobs.nextDue([]), undefined)
      await a(jobs, { leaseUntil: NOW + 300 })
      assert.equal(await jobs.nextDue(['mail', 'build']), NOW + 300)
    })

    it('counts what waits, runs and failed', async (t) => {
      const { jobs } = (await openStores(t, open)).stores
      for (let i = 0; i < 6; i++) await jobs.enqueue({ kind: 'mail', payload: {}, runAt: NOW })
      const [failed] = await a(jobs, { limit: 1 })
      await jobs.bury(failed?.id ?? '', 'a', 'no', NOW)
      await a(jobs, { limit: 2 })
      assert.deepEqual(await jobs.counts(), { queued: 3, running: 2, failed: 1 })
    })

    it('wakes the runners after an enqueue, and after the commit of a transaction with one', async (t) => {
      const { stores, transact, wakes } = await openStores(t, open)
      await stores.jobs.enqueue({ kind: 'mail', payload: {} })
      assert.equal(wakes(), 1)
      await transact(async ({ jobs }) => {
        await jobs.enqueue({ kind: 'mail', payload: {} })
        await jobs.enqueue({ kind: 'mail', payload: {} })
        assert.equal(wakes(), 1)
      })
      assert.equal(wakes(), 2)
      await transact(({ settings }) => settings.set('a', 'b'))
      assert.equal(wakes(), 2)
    })

    it('has no job, and wakes nobody, when the transaction does not commit', async (t) => {
      const { stores, transact, wakes } = await openStores(t, open)
      const failed = transact(async ({ jobs }) => {
        await jobs.enqueue({ kind: 'mail', payload: {}, key: 'k' })
        throw new Error('changed my mind')
      })
      await assert.rejects(failed, /changed my mind/)
      assert.deepEqual(await stores.jobs.counts(), { queued: 0, running: 0, failed: 0 })
      assert.equal(wakes(), 0)
    })
  }),
)
