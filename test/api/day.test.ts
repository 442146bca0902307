import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY, HOUR } from '#contract/time.ts'
import { eachDatabase } from '#test/support/database/databases.ts'
import { startServer } from '#test/support/server.ts'

/** Whatever comes round in a day comes round in several of them. */
const STEP = 3 * HOUR

eachDatabase((name, open) =>
  describe(`a day of 24 hours in some seconds, on ${name}`, () => {
    test('every periodic job comes round, none fails, and everything goes on', async (t) => {
      const server = await startServer({ databaseUrl: await open({ migrated: true }) })
      t.after(() => server.close())
      const operator = await server.operator()
      const { token } = await server.signUp()
      const body = { version: 2, name: 'day', files: [{ file: 'index.html', data: 'all day' }] }
      const { body: made } = await server.call('POST /v8/platform/deployments', { token, body })
      await server.call('POST /v4/domains', { token, body: { name: 'day.example' } })
      const status = async () =>
        (await server.call('GET /v1/operator/status', { token: operator.token })).body as {
          queue: { queued: number; failed: number }
          lateJobs: object[]
        }
      await server.startJobs()
      await server.runJobs()
      const first = await status()
      assert.deepEqual(first.lateJobs, [])

      for (let passed = STEP; passed <= DAY; passed += STEP) {
        server.clock.advance(STEP)
        assert.equal((await server.visit(made.url, `/?${passed}`)).status, 200)
        await server.runJobs()
        assert.deepEqual((await status()).lateJobs, [], `after ${passed / HOUR} h`)
      }

      const last = await status()
      assert.equal(last.queue.failed, 0)
      assert.equal(last.queue.queued, first.queue.queued, 'nothing piles up in the queue')
      assert.equal((await server.call('GET /v2/user', { token })).status, 200)
      await server.flushLogs()
      const since = server.clock.now() - HOUR
      const path = `GET /v2/platform/deployments/${made.id}/events?limit=100&since=${since}`
      const events = await server.call(path, { token })
      assert.ok(JSON.stringify(events.body).includes(`?${DAY} 200`), 'the last visit is in the log')
    })
  }),
)
