import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import { HOUR, MINUTE } from '#contract/time.ts'
import type { Sandbox } from '#core/ports/sandbox.ts'
import { rootMissing } from '#test/support/sandbox/sandbox.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { describeRunner, HELLO, until } from './runner-suite.ts'
import { openWorkbench, USUAL_KIND } from './workbench.ts'

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

describe('programs that are processes', { skip }, () => {
  const sandbox = openOnce(MODE)
  /** For what needs many starts and is the same with any. */
  const bare = openOnce('off')

  describeRunner({
    ...{ name: 'processes', source: 'lambda', loadFault: /not today/, unbounded: rootMissing },
    unmeasured: rootMissing,
    folder: MODE === 'required' ? '/var/task' : undefined,
    open: async (t, options) => openWorkbench(t, await sandbox(), options),
    left: (bench) => readdir(join(bench.folder, 'instances')),
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
    const later = await bench.deploy({ files })
    assert.equal((await bench.get(later)).body, 'found')
    bench.host.forget(later.deploymentId)
    await until(async () => (await readdir(caches)).length === 0)
  })

  it('ends a program that says that it has finished and goes on', async (t) => {
    const bench = await openWorkbench(t, await sandbox())
    const ref = await bench.deploy({
      files: {
        'index.js': `const { fstatSync, writeSync } = require('fs')
        for (let fd = 3; fd < 64; fd++)
          try { if (fstatSync(fd).isSocket()) writeSync(fd, '{"type":"finished","code":0}\\n') } catch {}
        setInterval(() => {}, 1000)
        ${HELLO['index.js']}`,
      },
    })
    await assert.rejects(async () => bench.client.lease(ref), { message: /ended without listening/ })
    assert.deepEqual(await readdir(join(bench.folder, 'instances')), [])
  })

  it('ends a program that has not started yet with its deployment', async (t) => {
    const bench = await openWorkbench(t, await sandbox(), { limits: { loadMs: HOUR } })
    // Whoever exports nothing has as long as a request to listen.
    const files = { 'index.js': 'console.log("begun"); setInterval(() => {}, 1000)' }
    const booted = bench.host.boot(await bench.deploy({ maxDuration: 3600, files }))
    const refused = assert.rejects(booted, { fault: 'absent' })
    const { deploymentId } = await bench.logged(/^begun$/)
    bench.host.forget(deploymentId)
    await refused
    assert.deepEqual(await readdir(join(bench.folder, 'instances')), [])
  })

  it('keeps an instance for what its requests left to do for as long as a request may take', async (t) => {
    const bench = await openWorkbench(t, await sandbox(), { limits: { idleMs: MINUTE, graceMs: 0 } })
    const ref = await bench.deploy({
      maxDuration: 600,
      files: {
        'index.js': `globalThis[Symbol.for('@vercel/request-context')].get().waitUntil(new Promise(() => {}))
          ${HELLO['index.js']}`,
      },
    })
    await bench.host.boot(ref)
    const running = () => bench.host.list(ref.deploymentId).length
    bench.clock.advance(9 * MINUTE)
    // A few sweeps pass while another program is started.
    await bench.get(await bench.deploy({ files: HELLO }))
    assert.equal(running(), 1)
    bench.clock.advance(2 * MINUTE)
    await until(() => running() === 0)
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
    await assert.rejects(bench.get(large), /may use 1 GiB of memory, and your plan allows .* 512 MiB/)
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
    await bench.host.prewarm([USUAL_KIND])
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
