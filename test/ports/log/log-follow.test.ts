import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMemoryBus } from '#adapters/memory/memory-bus.ts'
import type { LogEntry } from '#core/log/log-entry.ts'
import { createDeploymentLogs } from '#core/log/read/deployment-logs.ts'
import { createBuildLog } from '#core/log/write/build-log.ts'
import { LogWriter } from '#core/log/write/log-writer.ts'
import type { Bus } from '#core/ports/bus.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openLogs, readAll } from '#test/support/logs.ts'
import { silentLog } from '#test/support/silent-log.ts'

const EACH = 400
const never = new AbortController().signal

/** Loses most messages: following must not depend on them. */
const lossy = (bus: Bus): Bus => {
  let count = 0
  return {
    ...bus,
    publish: (topic, message) => (count++ % 7 === 0 ? bus.publish(topic, message) : undefined),
  }
}

async function toList(entries: AsyncIterable<LogEntry>): Promise<LogEntry[]> {
  const list: LogEntry[] = []
  for await (const entry of entries) list.push(entry)
  return list
}

const instant = () => new Promise(setImmediate)

eachDatabase((name, open) =>
  describe(`following logs on ${name}`, () => {
    it('tells every entry of concurrent processes once and in order, from any start', async (t) => {
      const first = await openLogs(t, open)
      const bus = createMemoryBus({ log: silentLog })
      const writers = await Promise.all(
        [0, 1].map(
          async () =>
            new LogWriter({
              store: (await first.again()).store,
              bus: lossy(bus),
              clock: systemClock,
              log: silentLog,
            }),
        ),
      )
      const logs = createDeploymentLogs({ store: first.store, bus, pollMs: 20, gatherMs: 1 })

      const total = writers.length * EACH
      async function follow(request: object, count: number): Promise<LogEntry[]> {
        const entries: LogEntry[] = []
        for await (const entry of logs.follow('dpl_a', request, { signal: never }))
          if (entries.push(entry) === count) break
        return entries
      }
      const whole = follow({ after: '-1' }, total)
      const odd = follow({ after: '-1', text: 'odd' }, total / 2)
      await Promise.all(
        writers.map(async (writer, w) => {
          for (let i = 0; i < EACH; i++) {
            writer.record({
              deploymentId: 'dpl_a',
              type: 'stdout',
              at: Date.now(),
              text: `${w} ${i} ${i % 2 === 0 ? 'even' : 'odd'}`,
              info: { type: 'instance', name: 'a', entrypoint: '' },
              region: 'iad1',
            })
            if (i % 37 === w) await instant()
            if (i % 113 === 0) await writer.flush()
          }
        }),
      )
      const late = follow({ after: (await whole.then((all) => all[99]))?.serial }, total - 100)
      await Promise.all(writers.map((writer) => writer.close()))

      const stored = await readAll(first.store)
      assert.equal(stored.length, total)
      assert.deepEqual(await whole, stored)
      assert.deepEqual(await late, stored.slice(100))
      assert.deepEqual(
        await odd,
        stored.filter(({ text }) => text.endsWith('odd')),
      )
      assert.deepEqual(
        writers.map((writer) => writer.dropped),
        [0, 0],
      )
    })

    it('ends after the last line of a build, also when nobody is told of it', async (t) => {
      const { store, again } = await openLogs(t, open)
      const silent = { publish: () => {} }
      const writer = new LogWriter({
        store: (await again()).store,
        bus: silent,
        clock: systemClock,
        log: silentLog,
      })
      t.after(() => writer.close())
      const logs = createDeploymentLogs({
        store,
        bus: createMemoryBus({ log: silentLog }),
        pollMs: 20,
        gatherMs: 1,
      })
      let finished = false
      const following = toList(
        logs.follow('dpl_a', { builds: true }, { signal: never, isFinished: async () => finished }),
      )
      const build = createBuildLog(
        { writer, clock: systemClock, region: 'iad1' },
        { deploymentId: 'dpl_a', buildId: 'bld_1', entrypoint: 'package.json' },
      )
      await build.command('npm run build')
      await Promise.all(Array.from({ length: 150 }, (_, i) => build.stdout(`line ${i}`)))
      finished = true
      const entries = await following
      assert.equal(entries.length, 151)
      assert.deepEqual(entries[0]?.info, { type: 'build', name: 'bld_1', entrypoint: 'package.json' })
      assert.deepEqual([entries[0]?.type, entries[0]?.text], ['command', 'npm run build'])
      assert.deepEqual([entries[150]?.type, entries[150]?.text], ['stdout', 'line 149'])
    })
  }),
)
