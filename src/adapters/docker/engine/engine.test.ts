import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { connectEngine, type Engine } from './engine.ts'
import type { EngineBuild } from './engine-types.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

/** An engine that says what a test has it say, on a socket in a folder of its own. */
async function fakeEngine(
  t: TestContext,
  answer: Answer,
  version: object = { ApiVersion: '1.41', MinAPIVersion: '1.12' },
) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-engine-'))
  const server = createServer((request, response) => {
    if (request.url === '/version') response.end(JSON.stringify(version))
    else answer(request, response)
  })
  server.listen(join(folder, 's'))
  await once(server, 'listening')
  t.after(async () => {
    server.closeAllConnections()
    server.close()
    await rm(folder, { recursive: true })
  })
  return { server, address: { socketPath: join(folder, 's') } }
}

async function engineOf(t: TestContext, answer: Answer): Promise<Engine> {
  return connectEngine((await fakeEngine(t, answer)).address)
}

const buildOf = (changes: Partial<EngineBuild> = {}): EngineBuild => ({
  context: Readable.from([Buffer.from('the '), Buffer.from('context')]),
  ...{ dockerfile: 'a/Dockerfile', tag: 'x:y', labels: { a: 'b' }, args: { WORD: 'a&b' }, network: 'net' },
  ...{ memoryBytes: 1024, cpus: 1.5, onOutput: () => {}, ...changes },
})

describe('an engine', () => {
  it('is spoken to in the newest version that both know', async (t) => {
    const seen: (string | undefined)[] = []
    const info: Answer = ({ url }, response) => {
      seen.push(url)
      response.end('{}')
    }
    for (const ApiVersion of ['1.41', '1.99']) {
      const { address } = await fakeEngine(t, info, { ApiVersion, MinAPIVersion: '1.24' })
      await (await connectEngine(address)).info()
    }
    assert.deepEqual(seen, ['/v1.41/info', '/v1.44/info'])
  })

  it('is refused where it speaks none of them', async (t) => {
    for (const version of [
      { ApiVersion: '1.30', MinAPIVersion: '1.12' },
      { ApiVersion: '2.10', MinAPIVersion: '2.0' },
      {},
    ]) {
      const { address } = await fakeEngine(t, () => {}, version)
      await assert.rejects(connectEngine(address), { name: 'DockerError', kind: 'refused' })
    }
  })

  it('that is not there is told from one that fails', async (t) => {
    await assert.rejects(connectEngine({ socketPath: '/nowhere/docker.sock' }), { kind: 'unreachable' })
    const statuses = { absent: 404, conflict: 409, refused: 400, failed: 500 }
    for (const [kind, status] of Object.entries(statuses)) {
      const engine = await engineOf(t, (_, response) => response.writeHead(status).end('{"message":"why"}'))
      await assert.rejects(engine.info(), { kind, message: 'why' })
    }
    const broken = await engineOf(t, ({ socket }) => socket.destroy())
    await assert.rejects(broken.info(), { kind: 'failed' })
  })

  it('has names of users only as parts of a path', async (t) => {
    const seen: (string | undefined)[] = []
    const engine = await engineOf(t, ({ url }, response) => {
      seen.push(url)
      response.writeHead(404).end()
    })
    assert.equal(await engine.image('../../containers?x=#'), undefined)
    assert.deepEqual(seen, ['/v1.41/images/..%2F..%2Fcontainers%3Fx%3D%23/json'])
  })

  it('answers no more than can be held', async (t) => {
    const engine = await engineOf(t, (_, response) => {
      Readable.from(
        (function* () {
          for (;;) yield Buffer.alloc(2 ** 20, 32)
        })(),
      ).pipe(response)
    })
    await assert.rejects(engine.info(), { kind: 'failed', message: /too much/ })
  })
})

describe('a build', () => {
  it('sends the context and hands on what is said', async (t) => {
    let asked: URL | undefined
    let sent: string | undefined
    const engine = await engineOf(t, async (request, response) => {
      asked = new URL(request.url ?? '', 'http://x')
      sent = await text(request)
      const lines = [
        { stream: 'Step 1/2 : FROM x\n' },
        { status: 'Pulling from x', id: 'latest' },
        { status: 'Downloading', id: 'abc', progress: '[=> ]' },
        { stream: ' ---> 0123456789ab\n' },
        { stream: 'gr\u00fc\u00dfe\n' },
        { aux: { ID: 'sha256:made' } },
      ]
      const bytes = Buffer.from(lines.map((line) => JSON.stringify(line)).join('\r\n'))
      // Cut inside of a character.
      const cut = bytes.indexOf(0xc3) + 1
      response.write(bytes.subarray(0, cut))
      setImmediate(() => response.end(bytes.subarray(cut)))
    })
    const output: string[] = []
    const steps: string[] = []
    const build = buildOf({ onOutput: (line) => output.push(line), onStep: (image) => steps.push(image) })
    assert.equal(await engine.build(build), 'sha256:made')
    assert.equal(sent, 'the context')
    const query = Object.fromEntries(asked?.searchParams ?? [])
    assert.deepEqual(JSON.parse(query.buildargs ?? ''), { WORD: 'a&b' })
    assert.deepEqual(
      {
        t: query.t,
        dockerfile: query.dockerfile,
        pull: query.pull,
        net: query.networkmode,
        quota: query.cpuquota,
      },
      { t: 'x:y', dockerfile: 'a/Dockerfile', pull: '1', net: 'net', quota: '150000' },
    )
    assert.deepEqual(output, [
      'Step 1/2 : FROM x\n',
      'Pulling from x\n',
      ' ---> 0123456789ab\n',
      'gr\u00fc\u00dfe\n',
    ])
    assert.deepEqual(steps, ['0123456789ab'])
  })

  it('fails with what the engine says of it', async (t) => {
    const engine = await engineOf(t, (request, response) => {
      request.resume()
      response.end('{"errorDetail":{"code":7,"message":"no"},"error":"no"}\r\n')
    })
    await assert.rejects(engine.build(buildOf()), { name: 'ImageBuildError', message: 'no', exitCode: 7 })
  })

  it('fails where it ends without an image, in the middle, or in gibberish', async (t) => {
    const answers: Answer[] = [
      (_, response) => response.end('{"stream":"x"}\n'),
      (_, response) => response.write('{"stream":"x"}\n', () => response.destroy()),
      (_, response) => response.end('what?\n'),
    ]
    for (const answer of answers) {
      const engine = await engineOf(t, (request, response) => {
        request.resume()
        request.once('end', () => answer(request, response))
      })
      await assert.rejects(engine.build(buildOf()), { name: 'DockerError', kind: 'failed' })
    }
  })

  it('ends with its signal, and the engine sees that', async (t) => {
    const stopping = new AbortController()
    const closed = Promise.withResolvers<void>()
    const engine = await engineOf(t, (request, response) => {
      request.resume()
      response.on('close', closed.resolve)
      response.write('{"stream":"begun"}\n')
    })
    const onOutput = () => stopping.abort(new Error('enough'))
    await assert.rejects(engine.build(buildOf({ signal: stopping.signal, onOutput })), /enough/)
    await closed.promise
  })

  it('fails with the context, where that is what fails', async (t) => {
    const engine = await engineOf(t, (request) => request.resume())
    const context = Readable.from(
      (function* () {
        yield Buffer.from('some')
        throw new Error('the disk is gone')
      })(),
    )
    await assert.rejects(engine.build(buildOf({ context })), /the disk is gone/)
  })
})

describe('a container', () => {
  const frame = (stream: number, said: string): Buffer => {
    const header = Buffer.alloc(8)
    header[0] = stream
    header.writeUInt32BE(Buffer.byteLength(said), 4)
    return Buffer.concat([header, Buffer.from(said)])
  }

  it('has its two outputs taken apart, however they are cut', async (t) => {
    const { server, address } = await fakeEngine(t, () => {})
    server.on('upgrade', (_, socket) => {
      const bytes = Buffer.concat([frame(1, 'one '), frame(2, 'bad'), frame(1, ''), frame(1, 'two')])
      socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n')
      for (const byte of bytes) socket.write(Buffer.of(byte))
      socket.end()
    })
    const { stdout, stderr } = await (await connectEngine(address)).attach('c')
    assert.deepEqual(await Promise.all([text(stdout), text(stderr)]), ['one two', 'bad'])
  })

  it('is not attached to where the engine refuses', async (t) => {
    const { server, address } = await fakeEngine(t, () => {})
    server.on('upgrade', (_, socket) => {
      socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 18\r\n\r\n{"message":"none"}')
    })
    await assert.rejects((await connectEngine(address)).attach('c'), { kind: 'absent', message: 'none' })
  })

  it('is watched before it starts, and its end told later', async (t) => {
    let end = () => {}
    const engine = await engineOf(t, (_, response) => {
      response.flushHeaders()
      end = () => response.end('{"StatusCode":3}')
    })
    const { ended } = await engine.watch('c')
    end()
    assert.equal(await ended, 3)
  })

  it('tells how long it had the processor, but not of one that does not run', async (t) => {
    const seen: (string | undefined)[] = []
    const engine = await engineOf(t, ({ url }, response) => {
      seen.push(url)
      const total_usage = url?.includes('/running/') ? 1_500_000 : 0
      response.end(JSON.stringify({ cpu_stats: { cpu_usage: { total_usage } } }))
    })
    assert.equal(await engine.processorMs('running'), 1.5)
    assert.equal(await engine.processorMs('ended'), undefined)
    assert.equal(seen[0], '/v1.41/containers/running/stats?stream=false&one-shot=true')
  })

  it('that is gone is removed already', async (t) => {
    const engine = await engineOf(t, (_, response) => response.writeHead(404).end('{"message":"none"}'))
    await engine.remove('c')
    assert.equal(await engine.container('c'), undefined)
    await assert.rejects(engine.start('c'), { kind: 'absent' })
  })
})
