import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { createRunnerClient } from '#adapters/runner-process/client/runner-client.ts'
import type { RunnerHostOptions } from '#adapters/runner-process/host/runner-host.ts'
import { MINUTE } from '#contract/time.ts'
import type { InstanceLine } from '#core/log/write/instance-log.ts'
import type { Lease } from '#core/ports/runner.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { ask, USUAL_KIND, type Workbench } from './workbench.ts'

export const HELLO = { 'index.js': 'module.exports = (req, res) => res.end("hello " + req.url)' }
/** Answers only once it is asked for /go. */
const HELD = {
  'index.js': `const held = []
    module.exports = (req, res) => {
      if (req.url === '/go') for (const each of held.splice(0)) each.end('held')
      if (req.url === '/go' || req.url === '/now') return res.end('now')
      held.push(res)
    }`,
}
/** Comes to grief as it is asked to; else it answers which instance it is. */
const MORTAL = {
  'index.js': `const name = require('node:crypto').randomUUID()
    module.exports = (req, res) => {
      if (req.url === '/die') process.exit(5)
      if (req.url === '/spin') for (;;);
      if (req.url === '/cut') return req.socket.destroy()
      if (req.url !== '/never') res.end(name)
    }`,
}
/** Keeps a core busy for a moment with every request. */
const BUSY = {
  'index.js': `module.exports = (req, res) => {
    const until = performance.now() + 10
    while (performance.now() < until);
    res.end('done')
  }`,
}
/** A machine of two cores, none of which is ever idle. */
const FULL = () => ({ cores: 2, idleMs: 0 })
/** Whichever way they run. */
const ONE_EACH = { concurrency: 1, commandConcurrency: 1 }

/** A way to run programs. Of those of the suite, `index.js` exports what answers a request, or else there is a command. */
interface RunnerGround {
  readonly name: string
  readonly skip?: string | false
  open(t: Pick<TestContext, 'after'>, options?: Partial<RunnerHostOptions>): Promise<Workbench>
  /** What is still there of all that was run, by name. */
  left(bench: Workbench): Promise<readonly string[]>
  /** What the lines of a program that has no command are said to come from. */
  readonly source: InstanceLine['source']
  /** Where a program finds its files, if that is the same everywhere. */
  readonly folder: string | undefined
  /** What is said of a program that throws the error `not today` as it starts. */
  readonly loadFault: RegExp
  /** Why the memory of a program is not limited. */
  readonly unbounded: string | false
  /** Why nobody can tell what a program uses of the processor. */
  readonly unmeasured: string | false
}

/** Resolves once it is so; whatever it is about changes by itself before long. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Time passes in which nobody asks for anything. */
const idleUntil = (bench: Workbench, isSo: () => boolean) =>
  until(() => {
    bench.clock.advance(MINUTE)
    return isSo()
  })

/** What everybody who has requests answered by programs may rely on, whichever way they run. */
export function describeRunner(ground: RunnerGround): void {
  describe(`the runner on ${ground.name}`, { skip: ground.skip ?? false }, () => {
    it('starts an instance for the first request, and has later ones use it within the call', async (t) => {
      const bench = await ground.open(t)
      const ref = await bench.deploy({ files: HELLO })
      const first = bench.client.lease(ref)
      assert.ok(first instanceof Promise)
      const lease = await first
      assert.match((await ask(lease, '/a?b=c')).body, /^hello \/a\?b=c$/)
      const second = bench.client.lease(ref)
      assert.ok(!(second instanceof Promise))
      assert.equal(second.instanceId, lease.instanceId)
      assert.match(lease.instanceId, /^[0-9a-z]{24}$/)
      const [listed] = bench.host.list(ref.deploymentId)
      assert.deepEqual(listed && { ...listed, startedAt: 0 }, {
        ...{ id: lease.instanceId, deploymentId: ref.deploymentId, program: ref.program },
        ...{ worker: 'worker', startedAt: 0, ownerId: 'owner', memoryMb: 1024 },
      })
      await until(() => bench.stored.has(lease.instanceId))
    })

    it('gives a program its variables and its files, also where something waited for it', async (t) => {
      const bench = await ground.open(t, { limits: { warm: 1 } })
      await bench.host.prewarm([USUAL_KIND])
      const ref = await bench.deploy({
        files: {
          'index.js': `const told = require('./lib/a.json')
              module.exports = (req, res) => res.end(JSON.stringify([told, process.env.OWN, process.env.BOTH, __filename]))`,
          'lib/a.json': '{"a":1}',
        },
        env: { OWN: "it's", BOTH: 'deployment' },
      })
      const [told, own, both, file] = JSON.parse((await bench.get(ref)).body)
      assert.deepEqual([told, own, both], [{ a: 1 }, "it's", 'deployment'])
      if (ground.folder !== undefined) assert.equal(file, `${ground.folder}/index.js`)
    })

    it('starts more when all are busy, up to the most, and then shares', async (t) => {
      const bench = await ground.open(t, { limits: ONE_EACH })
      const ref = await bench.deploy({ files: HELD, scale: { min: 0, max: 2 } })
      const leases = await Promise.all([1, 2, 3, 4].map(() => bench.client.lease(ref)))
      const used = new Set(leases.map(({ instanceId }) => instanceId))
      assert.equal(used.size, 2)
      assert.equal(bench.host.list(ref.deploymentId).length, 2)
      for (const lease of leases) lease.release()
    })

    it('starts more on busy cores for requests that wait for something else', async (t) => {
      const bench = await ground.open(t, { limits: ONE_EACH, processor: FULL })
      const ref = await bench.deploy({ files: HELD, scale: { min: 0, max: 3 } })
      const leases = await Promise.all([1, 2, 3].map(() => bench.client.lease(ref)))
      assert.equal(new Set(leases.map(({ instanceId }) => instanceId)).size, 3)
      for (const lease of leases) lease.release()
    })

    it('starts more for requests that keep the cores busy while there are idle ones, and else has them wait', {
      skip: ground.unmeasured,
    }, async (t) => {
      let idle = 0
      const limits = { concurrency: 4, commandConcurrency: 4 }
      // So small that a program uses much of it, however little it gets of a machine that is busy with other things.
      const processor = () => ({ cores: 0.4, idleMs: idle * performance.now() })
      const bench = await ground.open(t, { limits, processor })
      const ref = await bench.deploy({ files: BUSY, scale: { min: 0, max: 3 } })
      const count = () => bench.host.list(ref.deploymentId).length
      const most = new Set<number>()
      /** There are always requests that wait, until it is so. */
      const askUntil = async (isEnough: (asked: number) => boolean) => {
        let asked = 0
        const askOn = async () => {
          while (!isEnough(asked++)) most.add(count() + Number((await bench.get(ref)).status !== 200) * 100)
        }
        await Promise.all(Array.from({ length: 12 }, askOn))
      }
      await askUntil((asked) => asked > 100)
      assert.deepEqual([...most].sort(), [0, 1])
      idle = 2
      await askUntil(() => count() === 3)
    })

    it('starts another on busy cores when no request ends', { skip: ground.unmeasured }, async (t) => {
      const bench = await ground.open(t, { limits: ONE_EACH, processor: FULL })
      const ref = await bench.deploy({ files: MORTAL })
      const first = await bench.client.lease(ref)
      ask(first, '/spin').catch(() => {})
      const second = await bench.client.lease(ref)
      assert.notEqual(second.instanceId, first.instanceId)
      for (const lease of [first, second]) lease.release()
    })

    it('gives a request that waits to whatever becomes free first', async (t) => {
      const bench = await ground.open(t, { limits: { ...ONE_EACH, starts: 1 } })
      const ref = await bench.deploy({ files: HELLO, scale: { min: 0, max: 10 } })
      const first = await bench.client.lease(ref)
      const second = bench.client.lease(ref)
      assert.ok(second instanceof Promise)
      first.release()
      assert.equal((await second).instanceId, first.instanceId)
    })

    it('sends requests with the same text to the same instance', async (t) => {
      const bench = await ground.open(t, { limits: ONE_EACH })
      const ref = await bench.deploy({ files: HELLO, scale: { min: 2, max: 2 } })
      bench.host.scale(ref.deploymentId, { min: 2, max: 2 }, [ref.program])
      await until(() => bench.host.list(ref.deploymentId).length === 2)
      const used = new Set<string>()
      for (let visitor = 0; visitor < 20; visitor++) {
        const ids = new Set<string>()
        for (let n = 0; n < 3; n++) {
          const lease: Lease = await bench.client.lease(ref, { affinity: `visitor ${visitor}` })
          ids.add(lease.instanceId)
          lease.release()
        }
        assert.equal(ids.size, 1)
        for (const id of ids) used.add(id)
      }
      assert.equal(used.size, 2)
    })

    it('stops an instance that nobody has used for long, but for as many as there should be', async (t) => {
      const bench = await ground.open(t)
      const idle = await bench.deploy({ files: HELLO })
      const kept = await bench.deploy({ files: HELLO, scale: { min: 1, max: 1 } })
      await bench.get(idle)
      await bench.get(kept)
      await until(() => bench.stored.size === 2)
      await idleUntil(bench, () => bench.host.list(idle.deploymentId).length === 0)
      await until(() => bench.stored.size === 1)
      assert.equal(bench.host.list(kept.deploymentId).length, 1)
      // And wakes it again.
      assert.match((await bench.get(idle)).body, /^hello/)
      assert.deepEqual(bench.loops, [])
    })

    it('does not stop one that has a request', async (t) => {
      const bench = await ground.open(t)
      const ref = await bench.deploy({ files: HELD })
      const lease = await bench.client.lease(ref)
      const answer = ask(lease)
      await ask(lease, '/now')
      bench.clock.advance(20 * MINUTE)
      const other = bench.connect()
      // A few sweeps pass while another program is started.
      await bench.get(await bench.deploy({ files: HELLO }), '/', other)
      assert.equal(bench.host.list(ref.deploymentId).length, 1)
      await ask(lease, '/go')
      assert.equal((await answer).body, 'held')
      lease.release()
      await idleUntil(bench, () => bench.host.list(ref.deploymentId).length === 0)
    })

    it('begins anew with the working process, of which nothing is left, and loses no request', async (t) => {
      const bench = await ground.open(t)
      const ref = await bench.deploy({ files: HELLO })
      const before = await bench.client.lease(ref)
      before.release()
      await bench.restart()
      assert.deepEqual(bench.host.list(ref.deploymentId), [])
      assert.deepEqual(await ground.left(bench), [])
      const lease = await bench.client.lease(ref)
      assert.notEqual(lease.instanceId, before.instanceId)
      assert.equal((await ask(lease)).status, 200)
      lease.release()
    })

    it('leaves the working process that came after it in its place, however long it takes to stop', async (t) => {
      const bench = await ground.open(t)
      const ref = await bench.deploy({ files: HELD })
      const lease = await bench.client.lease(ref)
      const answer = ask(lease)
      const stopped = bench.host.drain(60_000)
      await bench.succeed()
      const early = bench.connect()
      const hello = await bench.deploy({ files: HELLO })
      assert.equal((await bench.get(hello, '/', early)).status, 200)
      await ask(lease, '/go')
      assert.equal((await answer).body, 'held')
      lease.release()
      await stopped
      assert.deepEqual([...bench.stored.values()], bench.host.list(hello.deploymentId))
      assert.equal((await bench.get(hello, '/', bench.connect())).status, 200)
    })

    it('refuses a request after a while where nothing runs programs', async (t) => {
      const bench = await ground.open(t)
      const client = createRunnerClient({
        ...{ socket: join(bench.folder, 'nobody.sock'), logger: silentLog, timeoutMs: 50 },
      })
      t.after(() => client.close())
      await assert.rejects(async () => client.lease({ deploymentId: 'a', program: 'b' }), {
        name: 'RunnerError',
        fault: 'unavailable',
      })
    })

    it('forgets a visitor that is gone', async (t) => {
      const bench = await ground.open(t)
      const ref = await bench.deploy({ files: HELLO })
      const gone = new AbortController()
      const lease = bench.client.lease(ref, { signal: gone.signal })
      gone.abort(new Error('gone'))
      await assert.rejects(async () => lease, /gone/)
    })

    it('leaves nothing of a deployment that is forgotten, and tells those that wait', async (t) => {
      const bench = await ground.open(t)
      const ref = await bench.deploy({ files: HELD })
      const lease = await bench.client.lease(ref)
      const answer = ask(lease)
      const refused = assert.rejects(answer)
      await ask(lease, '/now')
      assert.deepEqual(bench.host.deployments(), [ref.deploymentId])
      bench.remove(ref)
      bench.host.forget(ref.deploymentId)
      assert.deepEqual(bench.host.deployments(), [])
      await refused
      lease.release('broken')
      await until(() => bench.host.list(ref.deploymentId).length === 0)
      await until(async () => (await ground.left(bench)).length === 0)
      await assert.rejects(async () => bench.client.lease(ref), { fault: 'absent' })
    })

    it('tells of a program that cannot be loaded, with its stack in the log', async (t) => {
      const bench = await ground.open(t)
      const ref = await bench.deploy({ files: { 'index.js': 'throw new Error("not today")' } })
      await assert.rejects(async () => bench.client.lease(ref), {
        fault: 'crashed',
        message: ground.loadFault,
      })
      await bench.logged(/not today/)
      await bench.logged(/index\.js:1/)
    })

    it('starts a program again that a request brings down, and no later request goes to the one that is gone', async (t) => {
      const bench = await ground.open(t)
      const ref = await bench.deploy({ files: MORTAL })
      const lease = await bench.client.lease(ref)
      await assert.rejects(ask(lease, '/die'))
      lease.release('broken')
      // Not even before the working process has heard of it.
      const next = bench.client.lease(ref)
      assert.ok(next instanceof Promise)
      const other = await next
      assert.notEqual(other.instanceId, lease.instanceId)
      assert.equal((await ask(other)).status, 200)
      other.release()
      // Whichever was noticed first.
      await bench.logged(/ended with exit code 5|did not answer any more/)
    })

    it('refuses requests for a program that dies as it starts, and reports one that keeps doing so', async (t) => {
      const bench = await ground.open(t)
      const ref = await bench.deploy({ files: { 'index.js': 'process.exit(3)' } })
      while (bench.loops.length === 0) {
        await assert.rejects(async () => bench.client.lease(ref), {
          fault: 'crashed',
          message: /exit code 3/,
        })
        bench.clock.advance(1000)
      }
      assert.deepEqual(bench.loops[0]?.ref, ref)
      assert.match(bench.loops[0]?.reason ?? '', /exit code 3/)
    })

    it('gives a request to a certain instance, without starting another, or says that it is gone', async (t) => {
      const bench = await ground.open(t, { limits: ONE_EACH })
      const ref = await bench.deploy({ files: HELLO, scale: { min: 2, max: 3 } })
      bench.host.scale(ref.deploymentId, { min: 2, max: 3 }, [ref.program])
      await until(() => bench.host.list(ref.deploymentId).length === 2)
      // One that has never asked for the program, and one that knows it.
      for (const client of [bench.client, bench.connect()])
        for (const { id: instance } of bench.host.list(ref.deploymentId))
          for (let n = 0; n < 2; n++) {
            const lease = await client.lease(ref, { instance })
            assert.equal(lease.instanceId, instance)
            lease.release()
          }
      const gone = { instance: 'a'.repeat(24) }
      await assert.rejects(async () => bench.client.lease(ref, gone), { fault: 'absent' })
      await assert.rejects(async () => bench.connect().lease(ref, gone), { fault: 'absent' })
      assert.equal(bench.host.list(ref.deploymentId).length, 2)
    })

    it('tells whether an instance ended by itself or with the working process', async (t) => {
      const bench = await ground.open(t)
      const ref = await bench.deploy({ files: MORTAL })
      const dead = await bench.client.lease(ref)
      await assert.rejects(ask(dead, '/die'))
      dead.release('broken')
      assert.equal(await dead.isHostLost?.(), false)
      const lost = await bench.client.lease(ref)
      const cut = assert.rejects(ask(lost, '/never'))
      await bench.restart()
      await cut
      lost.release('broken')
      assert.equal(await lost.isHostLost?.(), true)
    })

    it('puts what a program writes into the log, by request where it can', async (t) => {
      const bench = await ground.open(t)
      const ref = await bench.deploy({
        files: {
          'index.js': `console.log('outside')
              module.exports = (req, res) => { console.error('inside'); res.end() }`,
        },
      })
      await bench.get(ref)
      const inside = await bench.logged(/^inside$/)
      assert.deepEqual(inside, {
        ...{ deploymentId: ref.deploymentId, instanceId: inside.instanceId, text: 'inside' },
        ...{ source: ground.source, entrypoint: 'api/index', projectId: 'prj_1', stream: 'stderr' },
        ownerId: 'owner',
      })
      const outside = await bench.logged(/^outside$/)
      assert.deepEqual([outside.instanceId, outside.stream], [inside.instanceId, undefined])
    })

    it('drops lines of a program that writes without end, and says so', async (t) => {
      const bench = await ground.open(t)
      const ref = await bench.deploy({
        files: {
          'index.js': `for (let i = 0; i < 5000; i++) process.stdout.write('line ' + i + '\\n')
              ${HELLO['index.js']}`,
        },
      })
      await bench.get(ref)
      const dropped = await bench.logged(/lines dropped/)
      assert.match(dropped.text, /^… \d+ lines dropped$/)
      assert.ok(bench.lines.length < 4000)
    })

    it('boots commands with their arguments: one that listens, one that has done its work, one that fails', async (t) => {
      const bench = await ground.open(t)
      const command = (script: string, port: string) =>
        bench.deploy({
          ...{ shape: 'command', entry: 'server.js', command: ['node', 'server.js', 'two words'] },
          files: { 'server.js': script },
          env: { PORT: port },
        })
      const port = String(20_000 + (process.pid % 20_000))
      const server = await command(
        `require('http').createServer((req, res) => res.end(process.argv[2])).listen(process.env.PORT)`,
        port,
      )
      assert.deepEqual(await bench.host.boot(server), { listening: true })
      assert.equal((await bench.get(server)).body, 'two words')
      const work = await command('console.log("done")', '3999')
      assert.deepEqual(await bench.host.boot(work), { finished: 0 })
      assert.equal((await bench.logged(/^done$/)).source, 'instance')
      await assert.rejects(async () => bench.client.lease(work), {
        fault: 'crashed',
        message: /ended without listening on PORT/,
      })
      assert.deepEqual(await bench.host.boot(await command('process.exit(4)', '3999')), { finished: 4 })
    })

    it('lets requests finish when it drains, and leaves nothing behind', async (t) => {
      const bench = await ground.open(t, { limits: { warm: 1 } })
      await bench.host.prewarm([USUAL_KIND])
      const ref = await bench.deploy({ files: HELD })
      const lease = await bench.client.lease(ref)
      const answer = ask(lease)
      await ask(lease, '/now')
      const drained = bench.host.drain(20_000)
      await ask(lease, '/go')
      assert.equal((await answer).body, 'held')
      lease.release()
      await drained
      assert.deepEqual(await ground.left(bench), [])
      assert.ok(!existsSync(bench.runFolder))
      assert.equal(bench.stored.size, 0)
    })

    it('uses an instance again that closed a connection but lives', async (t) => {
      const bench = await ground.open(t)
      const ref = await bench.deploy({ files: MORTAL })
      const { body } = await bench.get(ref)
      await assert.rejects(bench.get(ref, '/cut'))
      assert.equal((await bench.get(ref)).body, body)
      assert.deepEqual(bench.loops, [])
    })

    it('kills an instance that does not react any more', async (t) => {
      const bench = await ground.open(t)
      const ref = await bench.deploy({ files: MORTAL })
      const { body } = await bench.get(ref)
      const lease = await bench.client.lease(ref)
      const cut = assert.rejects(ask(lease, '/spin'))
      lease.release('stuck')
      await lease.isHostLost?.()
      // Whatever else is told of the program while it is looked into.
      bench.host.scale(ref.deploymentId, { min: 0, max: 2 })
      const next = await bench.client.lease(ref)
      assert.notEqual(next.instanceId, lease.instanceId)
      next.release()
      await cut
      await bench.logged(/did not answer any more/)
      assert.notEqual((await bench.get(ref)).body, body)
    })

    it('says in its log that a program ran out of memory', { skip: ground.unbounded }, async (t) => {
      const bench = await ground.open(t)
      const ref = await bench.deploy({
        memoryMb: 128,
        files: {
          'index.js': 'const held = []; module.exports = () => { for (;;) held.push(Buffer.alloc(1e6, 1)) }',
        },
      })
      await assert.rejects(bench.get(ref))
      await bench.logged(/ran out of memory \(128 MiB\)/)
    })
  })
}
