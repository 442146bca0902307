import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createAuthority } from '#adapters/cert-local/authority.ts'
import { createLocalIssuer } from '#adapters/cert-local/issuer.ts'
import { connectEngine } from '#adapters/docker/engine/engine.ts'
import { readEngineAddress } from '#adapters/docker/engine/engine-address.ts'
import { LABEL } from '#adapters/docker/labels.ts'
import { certificateName } from '#adapters/runner-process/peer/peer-name.ts'
import { SwarmEngine } from '#adapters/swarm/swarm-engine.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { dockerMissing, startEngine, type TestEngine } from '#test/support/docker/docker.ts'
import type { MachineCall, MachineSettings } from '#test/support/docker/swarm-machine.ts'
import { inOwnNamespaces } from '#test/support/sandbox/own-namespaces.ts'

const skip =
  dockerMissing || (process.env.ALOFT_TEST_LONG === undefined && 'three Docker Engines: npm run test:swarm')
if (!skip) await inOwnNamespaces(import.meta.filename)

const NAMES = ['one', 'two', 'three'] as const
const hostOf = (name: string): string => `10.77.0.${NAMES.indexOf(name as (typeof NAMES)[number]) + 1}`
const netns = (name: string): string => `/run/netns/${name}`

/** Says what took how long, for whoever reads. */
const tell = (what: string, since: number) =>
  process.stdout.write(`${what}: ${((performance.now() - since) / 1000).toFixed(1)} s\n`)

/** A working process in the network of its node. */
class Machine {
  readonly process: ChildProcess
  readonly #waiting = new Map<number, (said: { answer?: unknown; error?: string }) => void>()
  readonly ready: Promise<unknown>
  #calls = 0

  /** What it leaves behind when it is killed is in the folder of its file. */
  constructor(name: string, file: string) {
    const script = join(import.meta.dirname, '../../support/docker/swarm-machine.ts')
    this.process = spawn('nsenter', [`--net=${netns(name)}`, process.execPath, script, file], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, TMPDIR: dirname(file) },
    })
    this.ready = new Promise((resolve, reject) => {
      this.#waiting.set(0, resolve)
      this.process.once('exit', () => reject(new Error(`the machine ${name} ended`)))
    })
    this.ready.catch(() => {})
    this.process.on('message', (said: { id: number; answer?: unknown; error?: string }) => {
      this.#waiting.get(said.id)?.(said)
      this.#waiting.delete(said.id)
    })
  }

  async ask<T>(call: MachineCall): Promise<T> {
    const id = ++this.#calls
    const heard = new Promise<{ answer?: unknown; error?: string }>((resolve) =>
      this.#waiting.set(id, resolve),
    )
    this.process.send({ id, call })
    const { answer, error } = await heard
    if (error !== undefined) throw new Error(error)
    return answer as T
  }
}

/** A request every so often, whatever becomes of those before. */
class SteadyLoad {
  sent = 0
  failed = 0
  longestMs = 0
  readonly #ask: () => Promise<string>
  readonly #timer: NodeJS.Timeout
  readonly #waiting = new Set<Promise<void>>()
  #answered = 0
  #listeners: { readonly from: number; readonly heard: () => void }[] = []

  constructor(ask: () => Promise<string>) {
    this.#ask = ask
    this.#timer = setInterval(() => {
      const one = this.#send().finally(() => this.#waiting.delete(one))
      this.#waiting.add(one)
    }, 20)
  }

  /** Resolves after so many more answers. */
  answers(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#listeners.push({ from: this.#answered + count, heard: resolve })
    return promise
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#waiting)
  }

  async #send(): Promise<void> {
    this.sent++
    const sentAt = performance.now()
    try {
      assert.match(await this.#ask(), /^from /)
      this.#answered++
      for (const { from, heard } of this.#listeners) if (this.#answered >= from) heard()
    } catch {
      this.failed++
    }
    this.longestMs = Math.max(this.longestMs, performance.now() - sentAt)
  }
}

describe('a swarm of three nodes', { skip }, () => {
  const engines = new Map<string, TestEngine>()
  const nodes = new Map<string, string>()
  const machines = new Map<string, Machine>()
  let folder: string
  let swarm: SwarmEngine
  let placed: readonly string[]
  const first = () => machines.get('one') as Machine

  const runningOn = async (): Promise<readonly string[]> => {
    const tasks = await swarm.tasks({ [LABEL.deployment]: 'dpl_1' })
    const byId = new Map([...nodes].map(([name, id]) => [id, name]))
    return tasks
      .filter(({ DesiredState, Status }) => DesiredState === 'running' && Status.State === 'running')
      .map(({ NodeID = '' }) => byId.get(NodeID) ?? NodeID)
      .sort()
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aloft-swarm-'))
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', '/run'])
    execFileSync('ip', ['link', 'add', 'wire', 'type', 'bridge'])
    execFileSync('ip', ['link', 'set', 'wire', 'up'])
    for (const name of NAMES) {
      execFileSync('ip', ['netns', 'add', name])
      execFileSync('ip', ['link', 'add', `w-${name}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name])
      execFileSync('ip', ['link', 'set', `w-${name}`, 'master', 'wire', 'up'])
      execFileSync('ip', ['-n', name, 'address', 'add', `${hostOf(name)}/24`, 'dev', 'eth0'])
      execFileSync('ip', ['-n', name, 'link', 'set', 'eth0', 'up'])
      execFileSync('ip', ['-n', name, 'link', 'set', 'lo', 'up'])
    }
    await Promise.all(
      NAMES.map(
        async (name) => void engines.set(name, await startEngine('own', ['nsenter', `--net=${netns(name)}`])),
      ),
    )
    const since = performance.now()
    let join_: object | undefined
    for (const name of NAMES) {
      const engine = await connectEngine(readEngineAddress(engines.get(name)?.host))
      const address = { ListenAddr: '0.0.0.0:2377', AdvertiseAddr: hostOf(name) }
      const path = ['swarm', join_ ? 'join' : 'init']
      const Spec = { Dispatcher: { HeartbeatPeriod: 1e9 } }
      await engine.http.json({ method: 'POST', path, json: { ...address, ...(join_ ?? { Spec }) } })
      nodes.set(name, (await engine.info()).Swarm?.NodeID ?? '')
      if (join_) continue
      swarm = new SwarmEngine(engine.http)
      const { JoinTokens } = await engine.http.json<{ JoinTokens: { Manager: string } }>({
        method: 'GET',
        path: ['swarm'],
      })
      join_ = { RemoteAddrs: [`${hostOf(name)}:2377`], JoinToken: JoinTokens.Manager }
    }
    tell('three nodes joined', since)
    const authority = await createAuthority()
    const issuer = createLocalIssuer({ ...authority, clock: systemClock, forClients: true })
    for (const name of NAMES) {
      const { cert, key } = await issuer.issue([certificateName(name)])
      const settings: MachineSettings = {
        ...{ name, host: hostOf(name), docker: engines.get(name)?.host ?? '', secret: 'shared' },
        identity: { cert, key, authority: authority.certPem },
        others: NAMES.filter((other) => other !== name).map((other) => ({
          name: other,
          host: hostOf(other),
        })),
      }
      const file = join(folder, `${name}.json`)
      await writeFile(file, JSON.stringify(settings))
      machines.set(name, new Machine(name, file))
    }
    await Promise.all([...machines.values()].map(({ ready }) => ready))
    await first().ask({ do: 'build' })
  })

  after(async () => {
    for (const machine of machines.values()) machine.process.kill('SIGKILL')
    await Promise.all([...engines.values()].map((engine) => engine.stop()))
    await rm(folder, { recursive: true, force: true })
  })

  it('spreads instances over the nodes, which fetch the image from the machine that made it', async () => {
    // All three nodes have met the others' machines.
    while ((await swarm.nodes()).some(({ Spec }) => Object.keys(Spec.Labels ?? {}).length === 0))
      await pause(100)
    const since = performance.now()
    for (const n of NAMES.keys()) assert.deepEqual(await first().ask({ do: 'run' }), { type: 'ready', n })
    tell('three instances, one after the other', since)
    assert.deepEqual(await runningOn(), [...NAMES].sort())
    for (const n of NAMES.keys()) assert.match(await first().ask({ do: 'get', n, path: '/' }), /^from /)
    const tasks = await swarm.tasks({ [LABEL.deployment]: 'dpl_1' })
    const ofService = new Map(tasks.map(({ ServiceID, NodeID = '' }) => [ServiceID, NodeID]))
    const services = (await swarm.services({ [LABEL.deployment]: 'dpl_1' })).toSorted((a, b) =>
      a.Spec.Name < b.Spec.Name ? -1 : 1,
    )
    const byId = new Map([...nodes].map(([name, id]) => [id, name]))
    placed = services.map(({ ID }) => byId.get(ofService.get(ID) ?? '') ?? '')
  })

  it('has the swarm start what was on a node that is killed somewhere else, and requests wait for it', async () => {
    const lost = placed.indexOf('three')
    const others = [...NAMES.keys()].filter((n) => n !== lost)
    const steady = [...NAMES.keys()].map(
      (n) => new SteadyLoad(() => first().ask({ do: 'get', n, path: '/' })),
    )
    await Promise.all(steady.map((load) => load.answers(20)))
    const since = performance.now()
    for (const pid of execFileSync('ip', ['netns', 'pids', 'three'], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean))
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {}
    execFileSync('ip', ['link', 'set', 'w-three', 'down'])
    for (const name of ['one', 'two'])
      await machines.get(name)?.ask({ do: 'alive', names: ['one', 'two'], draining: [] })
    // One that is sent only now.
    assert.match(await first().ask({ do: 'get', n: lost, path: '/' }), /^from /)
    tell('a lost node: until its instance answers elsewhere', since)
    await Promise.all(steady.map((load) => load.answers(20)))
    await Promise.all(steady.map((load) => load.stop()))
    const ofLost = steady[lost] as SteadyLoad
    const ofOthers = others.map((n) => steady[n] as SteadyLoad)
    const sum = (of: (load: SteadyLoad) => number) => ofOthers.reduce((all, load) => all + of(load), 0)
    process.stdout.write(
      `to the lost instance: ${ofLost.sent} requests, ${ofLost.failed} failed, the longest took ${(ofLost.longestMs / 1000).toFixed(1)} s\n` +
        `to the others: ${sum(({ sent }) => sent)} requests, ${sum(({ failed }) => failed)} failed\n`,
    )
    assert.equal(
      sum(({ failed }) => failed),
      0,
    )
    assert.equal(ofLost.failed, 0)
    assert.deepEqual(
      (await runningOn()).filter((name) => name === 'three'),
      [],
    )
  })

  it('moves what is on the node of a machine that is drained', async () => {
    const since = performance.now()
    for (const name of ['one', 'two'])
      await machines.get(name)?.ask({ do: 'alive', names: ['one', 'two'], draining: ['two'] })
    while ((await runningOn()).join() !== 'one,one,one') await pause(100)
    for (const n of NAMES.keys()) assert.match(await first().ask({ do: 'get', n, path: '/' }), /^from /)
    tell('a drained machine: until all that it ran answers elsewhere', since)
  })
})
