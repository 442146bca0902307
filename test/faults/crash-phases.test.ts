import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { createUnsandboxed } from '#adapters/sandbox-bwrap/unsandboxed.ts'
import type { ProgramRef } from '#core/ports/runner.ts'
import {
  createEdgeWorld,
  type EdgeWorld,
  type Running,
  serveFast,
  siteFunctions,
} from '#test/support/http/edge.ts'
import { openWorkbench, type Workbench } from '../ports/runner/workbench.ts'

/** Does what the query says; does not even start while the flag is there, and ends badly when it is told to end. */
const SERVER = `const { existsSync } = require('node:fs')
if (existsSync(process.env.FLAG)) setTimeout(() => process.exit(3), 50)
else {
  process.on('SIGTERM', () => process.exit(1))
  const server = require('node:http').createServer((req, res) => {
    const what = new URL(req.url, 'http://x').searchParams.get('do')
    if (what === 'die') process.exit(1)
    if (what === 'die-reading') return req.once('data', () => process.exit(1))
    if (what === 'hold') return res.write('held')
    if (what === 'die-streaming') return res.write('part', () => setTimeout(() => process.exit(1), 20))
    res.end('fine')
  })
  server.on('upgrade', (req, socket) => {
    const what = new URL(req.url, 'http://x').searchParams.get('do')
    const head = 'HTTP/1.1 101 Switching Protocols\\r\\nconnection: upgrade\\r\\nupgrade: words\\r\\n\\r\\n'
    socket.on('error', () => {})
    if (what === 'end') return socket.end(head)
    socket.write(head, () => { if (what === 'die') setTimeout(() => process.exit(1), 20) })
  })
  server.listen(process.env.PORT)
}`

const HOST = 'site.test'

describe('a program that crashes, in whatever phase, freezes again', { skip: !existsSync('/proc') }, () => {
  let bench: Workbench
  let world: EdgeWorld
  let server: Running
  let flag: string
  let ref: ProgramRef
  const ends: (() => unknown)[] = []

  before(async () => {
    bench = await openWorkbench(
      { after: (act: unknown) => ends.push(act as () => unknown) },
      createUnsandboxed(),
      {
        limits: { commandConcurrency: 1, graceMs: 2000 },
      },
    )
    flag = join(bench.folder, 'flag')
    world = createEdgeWorld({ runner: bench.client })
    server = await serveFast(world.edge)
    ref = await bench.deploy({
      ...{ shape: 'command', entry: 'server.js', command: ['node', 'server.js'], maxDuration: 30 },
      ...{ files: { 'server.js': SERVER }, env: { FLAG: flag }, scale: { min: 0, max: 3 } },
    })
    world.addSite(
      HOST,
      {},
      {
        deploymentId: ref.deploymentId,
        functions: siteFunctions({ x: { program: ref.program, shape: 'command', maxDuration: 30 } }),
      },
    )
  })
  after(async () => {
    await server.close()
    await world.edge.close()
    for (const act of ends) await act()
  })

  function visit(what: string, options: { method?: string; upgrade?: string } = {}): ClientRequest {
    const { method = 'GET', upgrade } = options
    const headers = { host: HOST, ...(upgrade && { connection: 'upgrade', upgrade }) }
    const req = request({
      port: server.port,
      host: '127.0.0.1',
      path: `/x?do=${what}`,
      method,
      headers,
      agent: false,
    })
    req.on('error', () => {})
    return req
  }

  /** The status, or undefined where there was none; whatever comes is read to its end. */
  async function outcome(req: ClientRequest): Promise<number | undefined> {
    const answer = once(req, 'response') as Promise<[IncomingMessage]>
    const closed = once(req, 'close').then(() => undefined)
    const res = (await Promise.race([answer, closed]).catch(() => undefined))?.[0]
    if (res === undefined) return undefined
    res.on('error', () => {}).resume()
    await gone(res)
    return res.statusCode
  }

  const get = (what = 'answer') => outcome(visit(what).end())

  async function held(): Promise<IncomingMessage> {
    const [res] = (await once(visit('hold').end(), 'response')) as [IncomingMessage]
    res.on('error', () => {})
    await once(res, 'data')
    res.resume()
    return res
  }

  async function switched(what: string): Promise<Socket> {
    const [, socket] = (await once(visit(what, { upgrade: 'words' }).end(), 'upgrade')) as [unknown, Socket]
    socket.on('error', () => {}).resume()
    return socket
  }

  const gone = (each: IncomingMessage | Socket) =>
    new Promise<void>((resolve) => {
      if (each.closed) resolve()
      else each.once('close', resolve)
    })
  const count = () => bench.host.list(ref.deploymentId).length
  const soon = (ms = 5) => new Promise((resolve) => setTimeout(resolve, ms))

  /** Time passes in which nobody asks, until it is so; the time limit of the test ends it where that never is. */
  async function passing(t: TestContext, isSo: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isSo())) {
      t.signal.throwIfAborted()
      bench.clock.advance(60_000)
      await soon()
    }
  }

  async function freezes(t: TestContext): Promise<void> {
    const isFrozen = () => count() + bench.stored.size === 0
    bench.host.scale(ref.deploymentId, { min: 0, max: 3 })
    await passing(t, isFrozen)
    // And is there again for who comes next.
    await passing(t, async () => (await get()) === 200)
    await passing(t, isFrozen)
  }

  const phases: readonly [phase: string, crash: (t: TestContext) => Promise<void>][] = [
    [
      'while requests wait for its start',
      async () => {
        await writeFile(flag, '')
        const statuses = await Promise.all([get(), get(), get()])
        await rm(flag)
        for (const status of statuses) assert.ok((status ?? 0) >= 500)
      },
    ],
    [
      'while it has a request',
      async () => {
        assert.equal(await get('die'), 500)
      },
    ],
    [
      'while others wait for a free one',
      async () => {
        bench.host.scale(ref.deploymentId, { min: 0, max: 1 })
        const first = await held()
        const others = [get(), get('die'), get()]
        await Promise.all(others)
        first.destroy()
      },
    ],
    [
      'while it reads a body',
      async () => {
        const req = visit('die-reading', { method: 'POST' })
        req.write('some of it')
        await outcome(req)
        req.destroy()
      },
    ],
    [
      'while its answer is on the way',
      async () => {
        assert.equal(await get('die-streaming'), 200)
      },
    ],
    [
      'while another one is started beside it',
      async () => {
        const first = await held()
        await writeFile(flag, '')
        const second = get()
        await get('die')
        await Promise.all([second, gone(first)])
        await rm(flag)
      },
    ],
    [
      'while it is scaled up and down again',
      async (t) => {
        const first = await held()
        bench.host.scale(ref.deploymentId, { min: 2, max: 3 })
        await passing(t, () => count() >= 2)
        bench.host.scale(ref.deploymentId, { min: 0, max: 1 })
        await get('die')
        bench.host.scale(ref.deploymentId, { min: 0, max: 3 })
        first.destroy()
      },
    ],
    [
      'while it freezes, when somebody asks for it',
      async (t) => {
        await passing(t, async () => (await get()) === 200)
        const asked: Promise<number | undefined>[] = []
        // Further and further apart, so that one comes while it freezes, however slow the machine is.
        for (let ms = 5; count() > 0; ms *= 1.3) {
          asked.push(get())
          await soon(ms)
          bench.clock.advance(60 * 60_000)
        }
        await Promise.all(asked)
      },
    ],
    [
      'while another protocol is spoken, or as soon as it is',
      async () => {
        const quiet = await switched('hold')
        await gone(await switched('end'))
        await gone(await switched('die'))
        quiet.destroy()
      },
    ],
    [
      'when its visitors have left',
      async () => {
        const waiting = visit('answer').end()
        const stream = await held()
        const socket = await switched('hold')
        for (const each of [waiting, stream, socket]) each.destroy()
      },
    ],
  ]
  for (const [phase, crash] of phases)
    it(phase, { timeout: 60_000 }, async (t) => {
      await crash(t)
      await freezes(t)
    })
})
