import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { connectEngine, type Engine } from '#adapters/docker/engine/engine.ts'
import { readEngineAddress } from '#adapters/docker/engine/engine-address.ts'
import { LABEL } from '#adapters/docker/labels.ts'
import type { Docker, DockerLimits, DockerOptions } from '#adapters/docker/open-docker.ts'
import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import type { Files } from '#core/detection/plan-testing.ts'
import { createDestinations } from '#core/outbound/destinations.ts'
import { SITES } from '#core/outbound/own-sites.ts'
import type { Program } from '#core/output/output.ts'
import { startRegistry, type TestEngine, type TestRegistry } from '#test/support/docker/docker.ts'
import { type DockerPrograms, openPrograms } from '#test/support/docker/docker-programs.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { describeRunner } from './runner-suite.ts'
import { type MakeProgram, openWorkbench } from './workbench.ts'

/** Answers with what its code says of the request, run anew for each. */
const SERVER = `
const { createServer } = require('node:http')
const { connect } = require('node:net')
const reach = (host, port) => new Promise((resolve) => {
  const socket = connect({ host, port, timeout: 3000 })
  socket.on('connect', () => { socket.destroy(); resolve('reached') })
  socket.on('timeout', () => { socket.destroy(); resolve('silence') })
  socket.on('error', (error) => resolve(error.code))
})
createServer(async ({ url }, response) => {
  const { pathname, searchParams } = new URL(url, 'http://x')
  if (pathname === '/reach') return response.end(await reach(searchParams.get('host'), Number(searchParams.get('port'))))
  if (pathname === '/said') return connect(Number(searchParams.get('port')), searchParams.get('host')).on('error', (error) => response.end(error.code)).pipe(response)
  if (pathname === '/trusts') return response.end(require('node:fs').readFileSync(process.env.SSL_CERT_FILE))
  if (pathname === '/status') return response.end(require('node:fs').readFileSync('/proc/self/status'))
  if (pathname === '/address') return response.end(Object.values(require('node:os').networkInterfaces()).flat().find(({ internal }) => !internal).address)
  if (pathname === '/eat') { const all = []; for (;;) all.push(Buffer.alloc(2 ** 20, 1)) }
  console.log('asked for ' + pathname)
  console.error('on the other stream')
  response.end(JSON.stringify({ port: process.env.PORT, word: process.env.WORD, baked: process.env.BAKED }))
}).listen(Number(process.env.PORT))
`

/** Has what `index.js` exports answer. The first process of a container ends by no signal that it does not know. */
const SERVE = `
process.on('SIGTERM', () => process.exit())
require('node:http').createServer(require('./index.js')).listen(process.env.PORT)
`

/** What runs programs that are images. */
export interface ImageGround {
  readonly name: string
  readonly skip: string | false
  start(): Promise<TestEngine>
  open(options: DockerOptions): Promise<Docker>
  /** What it cannot protect anywhere. */
  readonly lacks: RegExp
  readonly hasNoNewPrivileges: boolean
  /** Why nobody can tell what a program uses of the processor. */
  readonly unmeasured: string | false
  /** What it still has of all that was run, by name. */
  left(engine: Engine): Promise<readonly string[]>
}

/** What tests of one of them alone find. */
interface ImageBench {
  readonly engine: Engine
  readonly programs: DockerPrograms
  /** Built once, for all that only want to run something. */
  readonly answering: Program
  dockerfile(...lines: readonly string[]): string
  openOwn(
    limits?: Partial<DockerLimits>,
    own?: Pick<DockerOptions, 'services' | 'authorities'>,
  ): Promise<DockerPrograms>
}

/** What every way to run programs that are images has to do. */
export function describeImagePrograms(ground: ImageGround, more: (bench: () => ImageBench) => void): void {
  describe(`programs on ${ground.name}`, { skip: ground.skip }, () => {
    let server: TestEngine
    let registry: TestRegistry
    let engine: Engine
    let programs: DockerPrograms
    /** Built once, for all that only want to run something. */
    let answering: Program
    const dockerfile = (...lines: readonly string[]): string => [`FROM ${registry.base}`, ...lines].join('\n')
    const serverFiles = (...lines: readonly string[]): Files => ({
      Dockerfile: dockerfile('COPY server.js /app/', ...lines, 'CMD ["node", "/app/server.js"]'),
      'server.js': SERVER,
    })

    const openOwn: ImageBench['openOwn'] = (limits = {}, own = {}) =>
      openPrograms(server.host, limits, own, ground.open)
    /** The images of programs of the runner, each built once: another deployment of the same has a name for it. */
    const made = new Map<string, Promise<{ readonly program: Program; readonly tag: string }>>()
    const make: MakeProgram = async ({ files, command = ['node', 'serve.js'], memoryMb = 1024 }, id) => {
      const key = JSON.stringify([files, command])
      const build = async () => {
        const Dockerfile = dockerfile('WORKDIR /app', 'COPY . ./', `CMD ${JSON.stringify(command)}`)
        const { program } = await programs.build(
          { ...files, Dockerfile, 'serve.js': SERVE },
          { deploymentId: id },
        )
        const [image] = await engine.images({ label: [`${LABEL.deployment}=${id}`] })
        return { program, tag: image?.RepoTags?.[0] ?? '' }
      }
      const building = made.get(key) ?? build()
      made.set(key, building)
      const { program, tag } = await building
      const [, repository = '', name = ''] = /^(.*):([^:]*)$/.exec(tag) ?? []
      await engine.tag(tag, repository, name.replace(/dpl_.*/, id))
      return { ...program, memoryMb }
    }

    /** A swarm takes a moment to clear up. */
    const noneLeft = async () => {
      while ((await engine.containers({})).length > 0) await new Promise((resolve) => setTimeout(resolve, 20))
    }

    before(async () => {
      server = await ground.start()
      registry = await startRegistry()
      engine = await connectEngine(readEngineAddress(server.host))
      programs = await openOwn()
      answering = (await programs.build(serverFiles())).program
    })
    after(async () => {
      await programs?.close()
      await registry?.stop()
      await server?.stop()
    })

    it('protects all that it can on this machine', () => {
      assert.deepEqual(
        programs.docker.missing.filter((text) => !ground.lacks.test(text)),
        [],
      )
    })

    it('builds an image of a deployment and runs it', async () => {
      const files = serverFiles(
        'ARG SECRET_WORD',
        'ARG HTTP_PROXY',
        'ENV BAKED=$SECRET_WORD',
        'RUN echo "it is $SECRET_WORD"',
        'EXPOSE 8080',
      )
      const { output, program, log } = await programs.build(files, {
        env: { SECRET_WORD: 'hush-hush', HTTP_PROXY: 'http://proxy.test', OTHER: 'unwanted' },
        secrets: ['hush-hush'],
      })
      assert.deepEqual(output.functions, [{ path: 'index', program: program.id }])
      assert.deepEqual(output.routes, [{ handle: 'filesystem' }, { src: '^/(.*)$', dest: '/index' }])
      assert.equal(log[0], '$ docker build -f Dockerfile .')
      assert.ok(log.includes('it is [redacted]'), log.join('\n'))
      assert.ok(!log.join('\n').includes('hush-hush') && !log.join('\n').includes('proxy.test'))
      const [image] = await engine.images({ label: [`${LABEL.deployment}=dpl_1`] })
      assert.equal(image?.Labels?.[LABEL.owner], 'usr_1')

      const running = await programs.run(program, { WORD: 'given' })
      assert.deepEqual(await running.first(), { type: 'ready' })
      assert.deepEqual(JSON.parse(await running.get('/one')), {
        port: '8080',
        word: 'given',
        baked: 'hush-hush',
      })
      running.launched.stop(5000)
      assert.equal((await running.launched.exit)?.reason, 'exited')
      assert.equal(await running.stdout, 'asked for /one\n')
      assert.equal(await running.stderr, 'on the other stream\n')
      await noneLeft()
    })

    it('leads to the sites of the installation, and lets them be trusted', async (t) => {
      const listener = createServer((socket) => socket.end('from the platform'))
      t.after(() => listener.close())
      listener.listen(0, '127.0.0.1')
      await once(listener, 'listening')
      const { port } = listener.address() as AddressInfo
      const folder = await mkdtemp(join(tmpdir(), 'aloft-authorities-'))
      t.after(() => rm(folder, { recursive: true }))
      const authorities = join(folder, 'all.pem')
      await writeFile(authorities, 'whom to trust')
      const usual = createDestinations()
      const own = await openOwn(
        {},
        {
          authorities,
          services: {
            ports: [80, 443],
            destinations: {
              ...usual,
              addressesOf: (name) => (name === 'site.example.test' ? [SITES] : undefined),
              connectTo: (address, to) =>
                address === SITES && to === 443 ? { host: '127.0.0.1', port } : usual.connectTo(address, to),
            },
          },
        },
      )
      t.after(() => own.close())
      const deploymentId = 'dpl_asking'
      const { program } = await own.build(serverFiles(), { deploymentId })
      const running = await own.run(program, {}, deploymentId)
      await running.first()
      assert.equal(await running.get('/said?host=site.example.test&port=443'), 'from the platform')
      assert.match(await running.get('/said?host=site.example.test&port=80'), /^E/)
      assert.match(await running.get('/said?host=site.example.test&port=22'), /^E/)
      assert.equal(await running.get('/trusts'), 'whom to trust')
      // Those behind it are for nobody who knows them.
      const sockets = execFileSync('ss', ['-Hltn', 'src', '172.16.0.0/12'], { encoding: 'utf8' })
      const hidden = [...sockets.matchAll(/(172[\d.]+):(\d+) /g)]
      assert.ok(hidden.length >= 3, sockets)
      for (const [, host, each] of hidden)
        assert.match(await running.get(`/reach?host=${host}&port=${each}`), /^E/)
      running.launched.kill()
      await running.launched.exit
      await own.docker.forget(deploymentId)
    })

    it('tells of a command that has done its work', async () => {
      const { program } = await programs.build({ Dockerfile: dockerfile('CMD echo done; exit 3') })
      const running = await programs.run(program)
      assert.deepEqual(await running.first(), { type: 'finished', code: 3 })
      assert.deepEqual(await running.launched.exit, { code: 3, reason: 'exited' })
      assert.equal(await running.stdout, 'done\n')
    })

    it('tells of one that cannot be started', async () => {
      const { program } = await programs.build({ Dockerfile: dockerfile('USER nobodys', 'CMD echo never') })
      const running = await programs.run(program)
      const message = await running.first()
      await running.launched.exit
      assert.equal(message.type, 'failed')
      assert.match(String(message.message), /unable to find user nobodys/)
      await noneLeft()
    })

    it('fences programs off from the machine, from one another, and from powers', async (t) => {
      const [one, two] = await Promise.all([programs.run(answering), programs.run(answering)])
      t.after(() => Promise.all([one.end(), two.end()]))
      await Promise.all([one.first(), two.first()])
      const machine = createServer((socket) => socket.destroy()).listen(0, '0.0.0.0')
      t.after(() => machine.close())
      await once(machine, 'listening')
      const { port } = machine.address() as { port: number }
      const address = await one.get('/address')
      const gateway = address.replace(/\.\d+$/, '.1')
      assert.equal(await two.get(`/reach?host=${gateway}&port=${port}`), 'ECONNREFUSED')
      assert.equal(await two.get(`/reach?host=172.30.0.1&port=${port}`), 'ECONNREFUSED')
      assert.equal(await two.get(`/reach?host=${address}&port=3000`), 'ECONNREFUSED')
      assert.equal(await one.get(`/reach?host=${address}&port=3000`), 'reached')
      const status = await one.get('/status')
      if (ground.hasNoNewPrivileges) assert.match(status, /^NoNewPrivs:\s+1$/m)
      assert.match(status, /^Seccomp:\s+2$/m)
      // Nothing that could reach beyond the container: neither modules, mounts, raw sockets nor devices.
      const powers = BigInt(`0x${/^CapBnd:\s+(\w+)$/m.exec(status)?.[1]}`)
      for (const bit of [12n, 13n, 16n, 17n, 19n, 21n, 27n])
        assert.equal((powers >> bit) & 1n, 0n, `capability ${bit}`)
    })

    it('ends a program that needs more memory than it may, and says so', async () => {
      const running = await programs.run({ ...answering, memoryMb: 64 })
      await running.first()
      await assert.rejects(running.get('/eat'))
      assert.equal((await running.launched.exit)?.reason, 'memory')
    })

    it('makes an image again that is no longer there', async (t) => {
      const { program } = await programs.build(serverFiles('ARG WORD', 'ENV BAKED=$WORD'), {
        env: { WORD: 'first' },
        deploymentId: 'dpl_gone',
      })
      await programs.docker.forget('dpl_gone')
      assert.deepEqual(await engine.images({ label: [`${LABEL.deployment}=dpl_gone`] }), [])
      const running = await programs.run(program, { WORD: 'second' }, 'dpl_gone')
      t.after(() => running.end())
      await running.first()
      assert.match(await running.get('/'), /"baked":"second"/)
    })

    it('ends what writes more than it may, in bytes or in files', async (t) => {
      const limits = { diskBytes: 8 * 2 ** 20, diskFiles: 2000, lookMs: 200 }
      const small = await openOwn(limits)
      t.after(() => small.close())
      const serving = (act: string) =>
        `require('http').createServer((req, res) => { ${act}; res.end() }).listen(3000)`
      for (const [act, why] of [
        [
          'require("fs").writeFileSync("/large", Buffer.alloc(16 * 2 ** 20))',
          /has written more than the 8 MiB/,
        ],
        [
          'for (let n = 0; n < 3000; n++) require("fs").writeFileSync("/" + n, "")',
          /more than the 2,000 files/,
        ],
        [
          'require("fs").writeFileSync("/volume/large", Buffer.alloc(16 * 2 ** 20))',
          /has written more than the 8 MiB/,
        ],
        [
          'for (let n = 0; n < 3000; n++) require("fs").writeFileSync("/volume/" + n, "")',
          /more than the 2,000 files/,
        ],
      ] as const) {
        const files = {
          Dockerfile: dockerfile('COPY server.js /', 'VOLUME /volume', 'CMD ["node", "/server.js"]'),
          'server.js': serving(act),
        }
        const { program } = await small.build(files, { deploymentId: 'dpl_writes' })
        const running = await small.run(program, {}, 'dpl_writes')
        assert.equal((await running.first()).type, 'ready')
        await running.get('/').catch(() => {})
        assert.equal((await running.launched.exit)?.reason, 'killed')
        assert.match(await running.stderr, why)
      }
    })

    describeRunner({
      ...{ name: ground.name, source: 'instance', folder: '/app', unbounded: false },
      unmeasured: ground.unmeasured,
      // None of it is an attack, and those count what they run.
      skip: process.env.ALOFT_ATTACKS !== undefined && 'part of npm test',
      loadFault: /ended without listening on PORT \(exit code 1\)/,
      async open(t, options) {
        const sandbox = await openSandbox({ mode: 'off', log: silentLog })
        const launchContainer = programs.docker.launch
        const bench = await openWorkbench(t, sandbox, { ...options, launchContainer }, make)
        t.after(() => sandbox.close())
        return bench
      },
      left: () => ground.left(engine),
    })

    more(() => ({ engine, programs, answering, dockerfile, openOwn }))

    it('leaves nothing of a deployment that was deleted', async () => {
      const running = await programs.run(answering)
      await running.first()
      await programs.docker.forget('dpl_1')
      await running.launched.exit
      assert.deepEqual(await engine.containers({ [LABEL.deployment]: 'dpl_1' }), [])
      assert.deepEqual(await engine.images({ label: [`${LABEL.deployment}=dpl_1`] }), [])
    })
  })
}
