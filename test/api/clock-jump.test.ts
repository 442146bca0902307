import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY, HOUR, MINUTE } from '#contract/time.ts'
import { JobRunner } from '#core/job/job-runner.ts'
import { eachDatabase } from '#test/support/database/databases.ts'
import { outputOf, ScriptedBuilder } from '#test/support/scripted-builder.ts'
import { startServer, type TestServer } from '#test/support/server.ts'
import { silentLog } from '#test/support/silent-log.ts'

const deploy = async (server: TestServer, token: string, name: string) => {
  const body = { version: 2, name, files: [{ file: 'index.html', data: name }] }
  const made = await server.call('POST /v8/platform/deployments', { token, body })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  return made.body as { id: string; url: string }
}

const lateOf = async (server: TestServer, token: string) => {
  const { body } = await server.call('GET /v1/operator/status', { token })
  const check = body.checks.find(({ name }: { name: string }) => name === 'periodic jobs')
  return { check, late: body.lateJobs as { kind: string; state: string }[] }
}

eachDatabase((name, open) =>
  describe(`a clock that jumps, on ${name}`, () => {
    for (const jump of [DAY, -DAY])
      test(`${jump / DAY} day and back: sessions, tokens, sites, logs and limits go on`, async (t) => {
        const server = await startServer({ databaseUrl: await open({ migrated: true }) })
        t.after(() => server.close())
        const { token } = await server.signUp()
        const { id, url } = await deploy(server, token, 'before')
        const read = async (mark: string) => {
          assert.equal((await server.visit(url, `/?${mark}`)).status, 200)
          const me = await server.call('GET /v2/user', { token })
          assert.equal(me.status, 200)
          const left = Number(me.headers.get('x-ratelimit-reset')) * 1000 - server.clock.now()
          assert.ok(left <= HOUR, `the limit starts anew in ${left} ms`)
        }
        await read('first')
        server.clock.jump(jump)
        await read('meanwhile')
        await deploy(server, token, 'meanwhile')
        server.clock.jump(-jump)
        await read('after')
        await deploy(server, token, 'after')
        await server.flushLogs()
        const { body } = await server.call(`GET /v2/platform/deployments/${id}/events?limit=100`, { token })
        const seen = ['first', 'meanwhile', 'after'].map((mark) =>
          body.findIndex((event: object) => JSON.stringify(event).includes(`?${mark}`)),
        )
        assert.ok(!seen.includes(-1), 'every visit is in the log')
        const list = await server.call('GET /v3/platform/deployments?limit=100', { token })
        assert.equal(list.body.deployments.length, 3)
      })

    test('a day ahead and back: the newest deployment goes live, built or not', async (t) => {
      const builder = new ScriptedBuilder()
      builder.next(async () => outputOf({ 'index.html': 'built' }))
      const databaseUrl = await open({ migrated: true })
      const server = await startServer({ databaseUrl, workers: { builder } })
      t.after(() => server.close())
      const { token } = await server.signUp()
      const deploy = async (files: readonly object[]) => {
        const body = { version: 2, name: 'shop', target: 'production', files }
        const made = await server.call('POST /v8/platform/deployments', { token, body })
        assert.equal(made.status, 200, JSON.stringify(made.body))
        await server.runJobs()
        return made.body
      }
      const live = async () =>
        (await server.call('GET /v9/projects/shop', { token })).body.targets.production.id
      const text = (data: string) => [{ file: 'index.html', data }]
      server.clock.jump(DAY)
      const ahead = await deploy(text('ahead'))
      assert.equal(await live(), ahead.id)
      server.clock.jump(-DAY)
      const built = await deploy([
        { file: 'package.json', data: JSON.stringify({ scripts: { build: 'make' } }) },
      ])
      assert.equal(await live(), built.id)
      const last = await deploy(text('last'))
      assert.equal(await live(), last.id)
      const list = await server.call('GET /v3/platform/deployments', { token })
      assert.deepEqual(
        list.body.deployments.map(({ uid }: { uid: string }) => uid),
        [last, built, ahead].map(({ id }) => id),
      )
    })

    test('jobs that do not come round are told, and set right by the next working process', async (t) => {
      const server = await startServer({ databaseUrl: await open({ migrated: true }) })
      t.after(() => server.close())
      const { token } = await server.operator()
      const { parts, clock } = server
      assert.ok((await lateOf(server, token)).late.every(({ state }) => state === 'missing'))

      const rounds: string[] = []
      const kinds = (await lateOf(server, token)).late.map(({ kind }) => kind)
      const start = async () => {
        const runner = new JobRunner({
          ...{ store: parts.stores.jobs, transact: parts.transact, bus: parts.bus, clock, log: silentLog },
          worker: 'jumper',
          handlers: kinds.map((kind) => ({
            ...{ kind, summary: kind, timeLimit: MINUTE, maxAttempts: 1, every: MINUTE },
            run: async () => void rounds.push(kind),
          })),
        })
        await runner.start()
        return runner
      }
      await (await start()).drain(0)
      assert.deepEqual((await lateOf(server, token)).late, [])

      // Everything was put into the queue while the clock was a week ahead.
      clock.jump(7 * DAY)
      const ahead = await start()
      await ahead.idle()
      await ahead.drain(0)
      assert.ok(rounds.length >= kinds.length)
      clock.jump(-7 * DAY)
      const { check, late } = await lateOf(server, token)
      assert.equal(check.ok, false)
      assert.match(
        check.message,
        /^certificates\.renew, [a-z.-]+, [a-z.-]+, and \d+ more are scheduled far in the future, as if the clock had jumped$/,
      )
      assert.ok(late.length === kinds.length && late.every(({ state }) => state === 'far off'))

      await (await start()).drain(0)
      assert.equal((await lateOf(server, token)).check.ok, true)

      // And then nobody works for a day.
      clock.advance(DAY)
      assert.match((await lateOf(server, token)).check.message, /^certificates\.renew, .* are overdue$/)
    })
  }),
)
