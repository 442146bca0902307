import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import type { Lease } from '#core/ports/runner.ts'
import type { Sandbox } from '#core/ports/sandbox.ts'
import { rootMissing } from '#test/support/sandbox/sandbox.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { ask, openWorkbench, type Workbench } from './runner-suite.ts'

const HELLO = { 'index.js': 'module.exports = (req, res) => res.end("hello " + req.url)' }
/** Answers only once it is asked for /go. */
const HELD = {
  'index.js': `const held = []
    module.exports = (req, res) => {
      if (req.url === '/go') for (const each of held.splice(0)) each.end('held')
      if (req.url === '/go' || req.url === '/now') return res.end('now')
      held.push(res)
    }`,
}

/** The best that this machine has for most of it, as every start costs; the rest is about what differs without. */
const MODE = rootMissing ? 'off' : 'required'
const skip = process.platform === 'win32' && 'needs unix sockets'

function openOnce(mode: 'required' | 'off'): () => Promise<Sandbox> {
  let opened: Promise<Sandbox> | undefined
  after(async () => (await opened)?.close())
  return () => {
    opened ??= openSandbox({ mode, log: silentLog })
    return opened
  }
}

/** Resolves once it is so; whatever it is about changes by itself before long. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Time passes in which nobody asks for anything. */
const idleUntil = (bench: Workbench, isSo: () => boolean) =>
  until(() => {
    bench.clock.advance(60_000)
    return isSo()
  })

describe('the runner', { skip }, () => {
  const sandbox = openOnce(MODE)
  /** For what needs many starts and is the same with any. */
  const bare = openOnce('off')

  it('starts an instance for the first request, and has later ones use it within the call', async (t) => {
    const bench = await openWorkbench(t, await sandbox())
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

  it('gives a program its variables, its arguments and its folder', async (t) => {
    const bench = await openWorkbench(t, await sandbox(), { limits: { warm: 1 } })
    await bench.host.prewarm()
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
    if (MODE === 'required') assert.equal(file, '/var/task/index.js')
  })

  it('starts more when all are busy, up to the most, and then shares', async (t) => {
    const bench = await openWorkbench(t, await sandbox(), { limits: { concurrency: 1 } })
    const ref = await bench.deploy({ files: HELD, scale: { min: 0, max: 2 } })
    const leases = await Promise.all([1, 2, 3, 4].map(() => bench.client.lease(ref)))
    const used = new Set(leases.map(({ instanceId }) => instanceId))
    assert.equal(used.size, 2)
    assert.equal(bench.host.list(ref.deploymentId).length, 2)
    for (const lease of leases) lease.release()
  })

  it('gives a request that waits to whatever becomes free first', async (t) => {
    const bench = await openWorkbench(t, await sandbox(), { limits: { concurrency: 1, starts: 1 } })
    const ref = await bench.deploy({ files: HELLO, scale: { min: 0, max: 10 } })
    const first = await bench.client.lease(ref)
    const second = bench.client.lease(ref)
    assert.ok(second instanceof Promise)
    first.release()
    assert.equal((await second).instanceId, first.instanceId)
  })

  it('sends requests with the same text to the same instance', async (t) => {
    const bench = await openWorkbench(t, await sandbox(), { limits: { concurrency: 1 } })
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
    const bench = await openWorkbench(t, await sandbox())
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
    const bench = await openWorkbench(t, await sandbox())
    const ref = await bench.deploy({ files: HELD })
    const lease = await bench.client.lease(ref)
    const answer = ask(lease)
    await ask(lease, '/now')
    bench.clock.advance(6 * 60_000)
    const other = bench.connect()
    // A few sweeps pass while another program is started.
    await bench.get(await bench.deploy({ files: HELLO }), '/', other)
    assert.equal(bench.host.list(ref.deploymentId).length, 1)
    await ask(lease, '/go')
    assert.equal((await answer).body, 'held')
    lease.release()
    await idleUntil(bench, () => bench.host.list(ref.deploymentId).length === 0)
  })

  it('keeps what waits while the working process begins anew', async (t) => {
    const bench = await openWorkbench(t, await sandbox())
    const ref = await bench.deploy({ files: HELLO })
    const before = await bench.client.lease(ref)
    before.release()
    await bench.restart()
    assert.deepEqual(bench.host.list(ref.deploymentId), [])
    const lease = await bench.client.lease(ref)
    assert.notEqual(lease.instanceId, before.instanceId)
    assert.equal((await ask(lease)).status, 200)
    lease.release()
  })

  it('leaves the working process that came after it in its place, however long it takes to stop', async (t) => {
    const bench = await openWorkbench(t, await sandbox())
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

  it('has its folder of sockets to itself, also when another took it away or left it open', async (t) => {
    const bench = await openWorkbench(t, await sandbox())
    const closed = async () => (await stat(bench.runFolder)).mode & 0o777
    await rm(bench.runFolder, { recursive: true })
    const ref = await bench.deploy({ files: HELLO })
    assert.equal((await bench.get(ref)).status, 200)
    assert.equal(await closed(), 0o700)
    await chmod(bench.runFolder, 0o755)
    await bench.restart()
    assert.equal((await bench.get(ref)).status, 200)
    assert.equal(await closed(), 0o700)
  })

  it('refuses a request after a while where nothing runs programs', async (t) => {
    const bench = await openWorkbench(t, await sandbox())
    const { createRunnerClient } = await import('#adapters/runner-process/client/runner-client.ts')
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
    const bench = await openWorkbench(t, await sandbox())
    const ref = await bench.deploy({ files: HELLO })
    const gone = new AbortController()
    const lease = bench.client.lease(ref, { signal: gone.signal })
    gone.abort(new Error('gone'))
    await assert.rejects(async () => lease, /gone/)
  })

  it('ends all instances of a deployment that is forgotten, and tells those that wait', async (t) => {
    const bench = await openWorkbench(t, await sandbox())
    const ref = await bench.deploy({ files: HELD })
    const lease = await bench.client.lease(ref)
    const answer = ask(lease)
    const refused = assert.rejects(answer)
    await ask(lease, '/now')
    bench.remove(ref)
    bench.host.forget(ref.deploymentId)
    await refused
    lease.release('broken')
    await until(() => bench.host.list(ref.deploymentId).length === 0)
    await assert.rejects(async () => bench.client.lease(ref), { fault: 'absent' })
  })

  it('tells of a program that cannot be loaded, with its stack in the log', async (t) => {
    const bench = await openWorkbench(t, await bare())
    const ref = await bench.deploy({ files: { 'index.js': 'throw new Error("not today")' } })
    await assert.rejects(async () => bench.client.lease(ref), { fault: 'crashed', message: /not today/ })
    assert.match((await bench.logged(/not today/)).text, /index\.js:1/)
  })

  it('starts a program that dies again and again after growing pauses, and at once when it is scaled', async (t) => {
    const bench = await openWorkbench(t, await bare())
    const ref = await bench.deploy({
      files: { 'index.js': `if (process.env.BAD) process.exit(3); ${HELLO['index.js']}` },
      env: { BAD: '1' },
    })
    const isStarted = async () => {
      const before = bench.lines.length
      await assert.rejects(async () => bench.client.lease(ref), { fault: 'crashed', message: /exit code 3/ })
      return bench.lines.length > before
    }
    while (bench.loops.length === 0) {
      assert.ok(await isStarted())
      bench.clock.advance(1000)
    }
    assert.deepEqual(bench.loops[0]?.ref, ref)
    assert.match(bench.loops[0]?.reason ?? '', /exit code 3/)
    bench.clock.advance(60_000)
    assert.equal(await isStarted(), true)
    bench.clock.advance(10_000)
    assert.equal(await isStarted(), true)
    for (let n = 0; n < 8; n++) {
      assert.equal(await isStarted(), false)
      bench.clock.advance(60_000)
      assert.equal(await isStarted(), true)
    }
    bench.clock.advance(10_000)
    assert.equal(await isStarted(), false)
    bench.host.scale(ref.deploymentId, { min: 0, max: 1 })
    assert.equal(await isStarted(), true)
  })

  it('starts a program again that its visitors bring down, and forgets that once it has run for long', async (t) => {
    const bench = await openWorkbench(t, await bare())
    const ref = await bench.deploy({
      files: {
        'index.js': 'module.exports = (req, res) => req.url === "/die" ? process.exit(5) : res.end("alive")',
      },
    })
    const answered = async () => {
      for (;;) {
        try {
          return (await bench.get(ref)).body
        } catch (error) {
          assert.match((error as Error).message, /exit code 5/)
          bench.clock.advance(1000)
        }
      }
    }
    for (let n = 0; n < 8; n++) {
      assert.equal(await answered(), 'alive')
      await assert.rejects(bench.get(ref, '/die'))
      await until(() => bench.host.list(ref.deploymentId).length === 0)
    }
    assert.equal(await answered(), 'alive')
    bench.clock.advance(61_000)
    await assert.rejects(bench.get(ref, '/die'))
    await until(() => bench.host.list(ref.deploymentId).length === 0)
    // Without a pause.
    assert.equal((await bench.get(ref)).body, 'alive')
  })

  it('gives a request to a certain instance, without starting another, or says that it is gone', async (t) => {
    const bench = await openWorkbench(t, await bare(), { limits: { concurrency: 1 } })
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
    const bench = await openWorkbench(t, await bare())
    const ref = await bench.deploy({
      files: { 'index.js': 'module.exports = (req, res) => req.url === "/die" ? process.exit(5) : 0' },
    })
    const dead = await bench.client.lease(ref)
    await assert.rejects(ask(dead, '/die'))
    dead.release('broken')
    assert.equal(await dead.isHostLost?.(), false)
    const lost = await bench.client.lease(ref)
    const cut = assert.rejects(ask(lost, '/'))
    await bench.restart()
    await cut
    lost.release('broken')
    assert.equal(await lost.isHostLost?.(), true)
  })

  it('puts what a program writes into the log, by request where it can', async (t) => {
    const bench = await openWorkbench(t, await sandbox())
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
      ...{ source: 'lambda', entrypoint: 'api/index', projectId: 'prj_1', stream: 'stderr' },
      ownerId: 'owner',
    })
    const outside = await bench.logged(/^outside$/)
    assert.deepEqual([outside.instanceId, outside.stream], [inside.instanceId, undefined])
  })

  it('drops lines of a program that writes without end, and says so', async (t) => {
    const bench = await openWorkbench(t, await sandbox())
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

  it('boots commands: one that listens, one that has done its work, one that fails', async (t) => {
    const bench = await openWorkbench(t, await sandbox())
    const command = (script: string, port: string) =>
      bench.deploy({
        ...{ shape: 'command', entry: 'server.js', command: ['node', 'server.js'] },
        files: { 'server.js': script },
        env: { PORT: port },
      })
    const port = String(20_000 + (process.pid % 20_000))
    const server = await command(
      `require('http').createServer((req, res) => res.end('server')).listen(process.env.PORT)`,
      port,
    )
    assert.deepEqual(await bench.host.boot(server), { listening: true })
    assert.equal((await bench.get(server)).body, 'server')
    const work = await command('console.log("done")', '3999')
    assert.deepEqual(await bench.host.boot(work), { finished: 0 })
    assert.equal((await bench.logged(/^done$/)).source, 'instance')
    await assert.rejects(async () => bench.client.lease(work), {
      fault: 'crashed',
      message: /ended without listening on PORT/,
    })
    assert.deepEqual(await bench.host.boot(await command('process.exit(4)', '3999')), { finished: 4 })
  })

  it('runs Python', { skip: !existsSync('/usr/bin/python3') && 'Python is not installed' }, async (t) => {
    const bench = await openWorkbench(t, await sandbox())
    const app = `import os
def app(environ, start_response):
    start_response('200 OK', [('content-type', 'text/plain')])
    return [('python ' + os.environ['OWN'] + ' ' + environ['PATH_INFO']).encode()]
`
    const ref = await bench.deploy({
      ...{ runtime: 'python', version: '3.11', entry: 'api/index.py', memoryMb: 256 },
      files: { 'api/index.py': app },
      env: { OWN: 'own' },
    })
    assert.equal((await bench.get(ref, '/a')).body, 'python own /a')
    await bench.host.drain(5000)
  })

  it('keeps compiled code for later instances of the same project', { skip: rootMissing }, async (t) => {
    const bench = await openWorkbench(t, await sandbox())
    const functions = Array.from(
      { length: 1500 },
      (_, i) => `exports.f${i} = (a) => a + ${i}; exports.f${i}(1)`,
    )
    const files = {
      'index.js': `const found = require('fs').readdirSync('/aloft/cache', { recursive: true, withFileTypes: true })
        require('./large.js')
        module.exports = (req, res) => res.end(found.some((entry) => entry.isFile()) ? 'found' : 'none')`,
      'large.js': functions.join('\n'),
    }
    assert.equal((await bench.get(await bench.deploy({ files }))).body, 'none')
    const caches = join(bench.folder, 'program-caches')
    await until(async () => (await readdir(caches)).some((name) => /^[0-9a-f]{64}-[0-9a-f]{32}$/.test(name)))
    assert.equal((await bench.get(await bench.deploy({ files }))).body, 'found')
  })

  it('lets requests finish when it drains, and leaves nothing behind', async (t) => {
    const bench = await openWorkbench(t, await sandbox(), { limits: { warm: 1 } })
    await bench.host.prewarm()
    const ref = await bench.deploy({ files: HELD })
    const lease = await bench.client.lease(ref)
    const answer = ask(lease)
    await ask(lease, '/now')
    const drained = bench.host.drain(20_000)
    await ask(lease, '/go')
    assert.equal((await answer).body, 'held')
    lease.release()
    await drained
    assert.deepEqual(await readdir(join(bench.folder, 'instances')), [])
    assert.ok(!existsSync(bench.runFolder))
    assert.equal(bench.stored.size, 0)
  })

  it('runs no more of an account than its plan allows: its own go first, and nobody else', async (t) => {
    const allowance = async () => ({ instances: 1, memoryMb: 512, elsewhere: { count: 0, memoryMb: 0 } })
    const bench = await openWorkbench(t, await sandbox(), { allowance })
    const neighbour = await bench.deploy({ files: HELLO, ownerId: 'neighbour', memoryMb: 256 })
    const one = await bench.deploy({ files: { ...HELLO, one: '' }, memoryMb: 256 })
    const two = await bench.deploy({ files: { ...HELLO, two: '' }, memoryMb: 256 })
    await bench.get(neighbour)
    await bench.get(one)
    assert.equal((await bench.get(two)).status, 200)
    assert.equal(bench.host.list(one.deploymentId).length, 0)
    assert.equal(bench.host.list(neighbour.deploymentId).length, 1)
    const large = await bench.deploy({ files: { ...HELLO, large: '' }, memoryMb: 1024 })
    await assert.rejects(bench.get(large), /may use 1024 MB of memory, and your plan allows .* 512 MB/)
  })

  it('never stops what a neighbour has for an account that holds more, however short memory is', async (t) => {
    let available = 8 * 2 ** 30
    const memory = () => ({ available, total: 16 * 2 ** 30 })
    const bench = await openWorkbench(t, await sandbox(), { memory })
    const neighbour = await bench.deploy({ files: HELLO, ownerId: 'neighbour', memoryMb: 256 })
    const hogs = await Promise.all(
      [1, 2, 3].map((n) => bench.deploy({ files: { ...HELLO, n: String(n) }, memoryMb: 1024 })),
    )
    await bench.get(neighbour)
    for (const hog of hogs) await bench.get(hog)
    const gone = new Promise<void>((resolve) => {
      const look = setInterval(() => {
        if (hogs.every((hog) => bench.host.list(hog.deploymentId).length === 0)) {
          clearInterval(look)
          resolve()
        }
        if (bench.host.list(neighbour.deploymentId).length === 0) resolve()
      }, 5)
    })
    available = 0
    await gone
    // Its instance is the last that is left, and only then its turn can come.
    assert.ok(hogs.every((hog) => bench.host.list(hog.deploymentId).length === 0))
    available = 8 * 2 ** 30
    assert.equal((await bench.get(neighbour)).status, 200)
  })

  it('runs no more at once than it may: what has nothing to do goes first', async (t) => {
    const bench = await openWorkbench(t, await sandbox(), { limits: { instances: 1 } })
    const one = await bench.deploy({ files: HELLO })
    const two = await bench.deploy({ files: { ...HELLO, other: '' } })
    await bench.get(one)
    assert.equal((await bench.get(two)).status, 200)
    assert.equal(bench.host.list(one.deploymentId).length, 0)
  })

  it('stops one for one that waits, however long that one takes to end', async (t) => {
    const bench = await openWorkbench(t, await sandbox(), { limits: { instances: 2, sweepMs: 10 } })
    const slow = `process.on('SIGTERM', () => setTimeout(() => process.exit(), 500))\n${HELLO['index.js']}`
    const [one, two] = await Promise.all(
      ['one', 'two'].map((name) => bench.deploy({ files: { ...HELLO, 'index.js': slow, [name]: '' } })),
    )
    assert.ok(one && two)
    await bench.get(one)
    await bench.get(two)
    assert.equal((await bench.get(await bench.deploy({ files: HELLO }))).status, 200)
    const left = [one, two].flatMap(({ deploymentId }) => bench.host.list(deploymentId))
    assert.equal(left.length, 1)
  })
})

describe('the runner without a sandbox', {
  skip: skip || (MODE === 'off' && 'is what the others are about here'),
}, () => {
  const sandbox = openOnce('off')

  it('runs handlers where they lie, and commands', async (t) => {
    const bench = await openWorkbench(t, await sandbox(), { limits: { warm: 1 } })
    await bench.host.prewarm()
    assert.equal((await bench.get(await bench.deploy({ files: HELLO }))).body, 'hello /')
    const script = 'require("http").createServer((req, res) => res.end("server")).listen(process.env.PORT)'
    const server = await bench.deploy({
      ...{ shape: 'command', entry: 'server.js', command: ['node', 'server.js'] },
      files: { 'server.js': script },
      env: { PORT: String(20_000 + (process.pid % 20_000)) },
    })
    assert.deepEqual(await bench.host.boot(server), { listening: true })
    assert.equal((await bench.get(server)).body, 'server')
    await bench.host.drain(5000)
    assert.deepEqual(await readdir(join(bench.folder, 'instances')), [])
  })

  it('runs code as the module it is, whatever package the data folder lies in', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'aloft-clone-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    const bench = await openWorkbench(t, await sandbox(), { folder: join(folder, '.aloft') })
    assert.equal((await bench.get(await bench.deploy({ files: HELLO }))).body, 'hello /')
  })

  it('has each of two servers of one port answer for itself', async (t) => {
    const bench = await openWorkbench(t, await sandbox())
    const script = (name: string) => `require('http').createServer((q, s) => s.end('${name}')).listen(3000)`
    const deploy = (name: string) =>
      bench.deploy({
        ...{ shape: 'command', entry: '', command: ['node', 'server.js'] },
        files: { 'server.js': script(name) },
      })
    const [first, second] = [await deploy('first'), await deploy('second')]
    assert.equal((await bench.get(first)).body, 'first')
    assert.equal((await bench.get(second)).body, 'second')
  })
})
