import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort, type Installation, install, TOKEN, uninstall } from '#test/support/installation.ts'
import { startS3, type TestS3 } from '#test/support/storage/s3.ts'
import { type Answer, type Ask, createAsk, Probe } from './load.ts'
import { type Network, openNetwork } from './network.ts'
import { openDoor, openPostgres, openRedis, type Store } from './stores.ts'
import { type Look, watchName } from './watch-name.ts'

const main = resolve(import.meta.dirname, '../../../src/main.ts')
const PORT = 3000
const API = `localhost:${PORT}`
const ALIAS = 'moving.cluster.test'

export const ROLES = ['serve', 'all', 'work'] as const
/** The machines that answer visitors. */
const SERVING = [0, 1] as const

/** Who asks. Each is somebody else, with a connection of its own: nobody waits for what another has asked for. */
type Asker = 'pages' | 'functions' | 'deployments' | 'mails' | 'names' | 'comparing'

interface Machine {
  installation: Installation
  readonly address: string
  readonly askers: Map<Asker, Ask>
  /** On a connection that is kept, and on one for each question; given up after as long as a name may differ. */
  readonly watchers: readonly Ask[]
  absences: number
}

export interface Count {
  readonly ok: number
  readonly failed: number
  /** What the slowest answer took. */
  readonly longestMs: number
}

/** What became of the load while something happened. */
export interface Outcome {
  /** Of static sites, on the machines that were there all the time. */
  readonly pages: Count
  readonly functions: Count
  readonly writes: Count
  /** From when it was over, or happened, until nothing failed any more. */
  readonly recoveredMs: number
  /** The longest that a machine showed something else than what an alias was pointed at. */
  readonly disagreementMs: number
  /** How often an alias was moved. */
  readonly moves: number
  readonly lost: readonly string[]
  readonly twice: readonly string[]
  readonly reasons: readonly string[]
}

/** Three machines of one installation on a network of their own, with people who visit and write all the time. */
export class Cluster {
  readonly network: Network
  readonly stores: { readonly postgres: Store; readonly redis: Store; readonly s3: Store }
  readonly #moto: TestS3
  readonly #machines: Machine[] = []
  readonly #probes: Probe[] = []
  readonly #deployed = new Map<string, { readonly url: string; readonly text: string }>()
  readonly #mailed: string[] = []
  #isShowing = ''
  #disagreementMs = 0
  #moves = 0
  /** Machines that cannot be asked at the moment. */
  readonly #away = new Set<number>()
  #serial = 0

  private constructor(network: Network, stores: Cluster['stores'], moto: TestS3) {
    this.network = network
    this.stores = stores
    this.#moto = moto
  }

  static async open(tell: (what: string) => void): Promise<Cluster> {
    const network = await openNetwork(ROLES.length)
    const { address } = network
    const moto = await startS3()
    const [database, redis, s3] = [await freePort(), await freePort(), await freePort()]
    const stores = {
      postgres: await openPostgres(address, database),
      redis: await openRedis(address, redis),
      s3: await openDoor(address, s3, Number(new URL(moto.endpoint).port)),
    }
    const cluster = new Cluster(network, stores, moto)
    try {
      const bucket = (await moto.makeBucket('cluster')).replace(
        encodeURIComponent(moto.endpoint),
        encodeURIComponent(`http://${address}:${s3}`),
      )
      const env = {
        ALOFT_DATABASE_URL: `postgresql://postgres@${address}:${database}/postgres`,
        ALOFT_REDIS_URL: `redis://${address}:${redis}`,
        ALOFT_BLOB_URL: bucket,
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: 'test',
        ALOFT_MASTER_KEY: Buffer.alloc(32, 5).toString('base64'),
        ALOFT_DOMAIN: 'cluster.test',
        ALOFT_RATE_LIMIT: '1000000',
      }
      for (const n of ROLES.keys()) {
        await cluster.#startMachine(n, env)
        tell(`machine ${n} is ready`)
      }
      await cluster.#deployAll()
      tell('sites are deployed')
      return cluster
    } catch (error) {
      await cluster.close()
      throw error
    }
  }

  async #startMachine(n: number, env: Record<string, string>): Promise<void> {
    const { address, enter } = this.network.host(n)
    const role = ROLES[n] ?? 'all'
    const own = role === 'serve' ? {} : { ALOFT_CLUSTER_ADDRESS: `${address}:3500` }
    const installation = await install({
      program: [...enter, process.execPath, main],
      args: ['--role', role],
      ports: { port: PORT, tlsPort: 3443 },
      env: { ...env, ...own, ALOFT_HOST: address, ALOFT_BASE_URL: `http://${API}` },
    })
    const watchers = [true, false].map((isKept) =>
      createAsk({ address, port: PORT }, { isKept, timeoutMs: 1_000 }),
    )
    this.#machines.push({ installation, address, askers: new Map(), watchers, absences: 0 })
  }

  #machine(n: number): Machine {
    const machine = this.#machines[n]
    if (!machine) throw new Error(`there is no machine ${n}`)
    return machine
  }

  #ask(n: number, asker: Asker): Ask {
    const { address, askers } = this.#machine(n)
    const ask = askers.get(asker) ?? createAsk({ address, port: PORT })
    askers.set(asker, ask)
    return ask
  }

  /** By a serving machine that can be asked. */
  async #api(asker: Asker, path: string, method = 'GET', body?: object): Promise<Answer> {
    const ask = this.#ask(this.#serving(), asker)
    return ask(path, { host: API, token: TOKEN, method, ...(body ? { body } : {}) })
  }

  #serving(): number {
    const there = SERVING.filter((n) => !this.#away.has(n))
    return there[this.#serial++ % there.length] ?? 0
  }

  async #deploy(name: string, files: Readonly<Record<string, string>>): Promise<{ id: string; url: string }> {
    const body = { version: 2, name, files: Object.entries(files).map(([file, data]) => ({ file, data })) }
    const { status, text } = await this.#api('deployments', '/v8/platform/deployments', 'POST', body)
    if (status !== 200) throw new Error(`a deployment was answered ${status}: ${text.slice(0, 200)}`)
    return JSON.parse(text) as { id: string; url: string }
  }

  readonly #sites = { still: '', code: '', aimed: [] as { id: string; text: string }[] }

  async #deployAll(): Promise<void> {
    const ready = async (name: string, files: Readonly<Record<string, string>>) => {
      const made = await this.#deploy(name, files)
      await this.#until(`${name} is ready`, async () => {
        const { text } = await this.#api('deployments', `/v8/platform/deployments/${made.id}`)
        const { readyState } = JSON.parse(text) as { readyState: string }
        if (readyState === 'ERROR') throw new Error(text)
        return readyState === 'READY'
      })
      return made
    }
    this.#sites.still = (await ready('still', { 'index.html': 'still' })).url
    const code = { 'api/hello.js': "module.exports = (req, res) => res.end('hello')\n" }
    this.#sites.code = (await ready('code', code)).url
    for (const text of ['left', 'right'])
      this.#sites.aimed.push({ id: (await ready(text, { 'index.html': text })).id, text })
    await this.#until('functions answer everywhere', async () => {
      for (const n of SERVING) await this.#hello(n)
      return true
    })
  }

  async #until(what: string, isSo: () => Promise<boolean>, ms = 120_000): Promise<void> {
    const end = performance.now() + ms
    let problem: unknown
    for (;;) {
      try {
        if (await isSo()) return
      } catch (error) {
        problem = error
      }
      if (performance.now() > end) throw new Error(`never: ${what}`, { cause: problem })
      await pause(100)
    }
  }

  async #page(n: number, host: string, wanted: string): Promise<void> {
    const { status, text } = await this.#ask(n, 'pages')('/', { host })
    if (status !== 200 || text !== wanted) throw new Error(`${status} ${text.slice(0, 80)}`)
  }

  async #hello(n: number): Promise<void> {
    const { status, text } = await this.#ask(n, 'functions')('/api/hello', { host: this.#sites.code })
    if (status !== 200 || text !== 'hello') throw new Error(`${status} ${text.slice(0, 80)}`)
  }

  /** Begins the load. */
  start(): void {
    /** What was asked of a machine before it went away is no question to one that is there. */
    const whileThere = (n: number, ask: () => Promise<void>) => async () => {
      if (this.#away.has(n)) return
      const { absences } = this.#machine(n)
      await ask().catch((error) => {
        if (this.#machine(n).absences === absences) throw error
      })
    }
    for (const n of SERVING) {
      this.#probes.push(
        new Probe(
          'pages',
          10,
          whileThere(n, () => this.#page(n, this.#sites.still, 'still')),
        ),
        new Probe(
          'functions',
          20,
          whileThere(n, () => this.#hello(n)),
        ),
      )
    }
    this.#probes.push(
      new Probe('writes', 250, () => this.#write()),
      new Probe('writes', 250, () => this.#mail()),
      new Probe('writes', 500, () => this.#move()),
    )
  }

  async #write(): Promise<void> {
    const text = `made ${this.#serial++}`
    const { id, url } = await this.#deploy('made', { 'index.html': text })
    this.#deployed.set(id, { url, text })
  }

  /** A job that leaves something to count: a mail for each. */
  async #mail(): Promise<void> {
    const email = `visitor-${this.#serial++}@cluster.test`
    const { status } = await this.#api('mails', '/platform/registration', 'POST', { email, tokenName: 'x' })
    if (status !== 200) throw new Error(`a registration was answered ${status}`)
    this.#mailed.push(email)
  }

  async #move(): Promise<void> {
    const next = this.#sites.aimed.find(({ text }) => text !== this.#isShowing)
    if (!next) return
    // From before it is moved: whoever shows it first may do so before the mover is answered.
    const watches = SERVING.flatMap((n) =>
      this.#machine(n).watchers.map((ask) => watchName(() => this.#look(n, ask, next.text))),
    )
    try {
      const path = `/v2/platform/deployments/${next.id}/aliases`
      const { status, text } = await this.#api('names', path, 'POST', { alias: ALIAS })
      if (status !== 200) throw new Error(`an alias was answered ${status}: ${text.slice(0, 100)}`)
      this.#isShowing = next.text
      await Promise.all(watches.map((watch) => watch.settled(30_000)))
      this.#noteDisagreement(watches.flatMap((watch) => watch.looks))
      this.#moves += 1
    } finally {
      for (const watch of watches) watch.stop()
    }
  }

  async #look(n: number, ask: Ask, wanted: string): Promise<Look['is']> {
    if (this.#away.has(n)) return 'away'
    const answer = await ask('/', { host: ALIAS }).catch(() => undefined)
    if (this.#away.has(n)) return 'away'
    // Whoever says nothing says nothing wrong; what fails is counted by others.
    if (answer?.status !== 200) return this.#isShowing === '' ? 'other' : 'silent'
    return answer.text === wanted ? 'wanted' : 'other'
  }

  #noteDisagreement(looks: readonly Look[]): void {
    const first = Math.min(...looks.filter(({ is }) => is === 'wanted').map(({ to }) => to))
    for (const { is, to } of looks)
      if (is === 'other') this.#disagreementMs = Math.max(this.#disagreementMs, to - first)
  }

  /** Does something to the installation and tells what became of the load. `over` is when it should recover from. */
  async during(breakIt: () => Promise<void>, { quietMs = 5_000 } = {}): Promise<Outcome> {
    for (const probe of this.#probes) probe.clear()
    this.#disagreementMs = 0
    this.#moves = 0
    await pause(1_000)
    await breakIt()
    const over = performance.now()
    // Until nothing has failed for a while.
    await this.#until('everything works again', async () => {
      const last = Math.max(over, ...this.#probes.map(({ failedAt }) => failedAt))
      return performance.now() - last > quietMs
    })
    const last = Math.max(...this.#probes.map(({ failedAt }) => failedAt))
    const of = (name: string) => {
      const probes = this.#probes.filter((probe) => probe.name === name)
      const sum = (pick: (probe: Probe) => number) => probes.reduce((all, probe) => all + pick(probe), 0)
      const longestMs = Math.max(...probes.map((probe) => probe.longestMs))
      return { ok: sum(({ ok }) => ok), failed: sum(({ failed }) => failed), longestMs }
    }
    const outcome = { pages: of('pages'), functions: of('functions'), writes: of('writes') }
    const reasons = this.#probes.flatMap((probe) => [...probe.reasons].map((why) => `${probe.name}: ${why}`))
    const { lost, twice } = await this.#compare()
    return {
      ...outcome,
      recoveredMs: Math.max(0, last - over),
      disagreementMs: this.#disagreementMs,
      moves: this.#moves,
      ...{ lost, twice, reasons },
    }
  }

  /** What was acknowledged against what is there. */
  async #compare(): Promise<{ lost: string[]; twice: string[] }> {
    const lost: string[] = []
    for (const [id, { url, text }] of this.#deployed) {
      const { status } = await this.#api('comparing', `/v8/platform/deployments/${id}`)
      const shown = await this.#ask(this.#serving(), 'comparing')('/', { host: url })
      if (status !== 200 || shown.text !== text)
        lost.push(`${id}: ${status}, ${shown.status} ${shown.text.slice(0, 80)}`)
    }
    this.#deployed.clear()
    const expected = this.#mailed.splice(0)
    const counts = async () => {
      const texts = await Promise.all(this.#machines.map(({ installation }) => mailsOf(installation)))
      const all = texts.flat().join('\n')
      return new Map(expected.map((email) => [email, all.split(`To: ${email}`).length - 1]))
    }
    await this.#until(
      'all mails are there',
      async () => [...(await counts()).values()].every((n) => n > 0),
      60_000,
    ).catch(() => {})
    for (const [email, count] of await counts()) if (count === 0) lost.push(`the mail to ${email}`)
    const twice = [...(await counts())]
      .filter(([, count]) => count > 1)
      .map(([email, n]) => `${n} mails to ${email}`)
    return { lost, twice }
  }

  /** All of its processes at once. */
  async kill(n: number): Promise<void> {
    this.#leave(n)
    const { installation } = this.#machine(n)
    const pids = [...(await installation.children('serve')), ...(await installation.children('work'))]
    const ended = installation.stop('SIGKILL')
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    await ended
  }

  async startAgain(n: number): Promise<void> {
    const machine = this.#machine(n)
    machine.installation = await machine.installation.restart()
    this.#away.delete(n)
  }

  #leave(n: number): void {
    this.#away.add(n)
    this.#machine(n).absences += 1
  }

  async cutOff(n: number, ms: number): Promise<void> {
    this.#leave(n)
    await this.network.pull(n)
    await pause(ms)
    await this.network.plug(n)
    // From its first answer on, to somebody who comes anew, it counts again.
    const [, ask] = this.#machine(n).watchers
    const isServing = (SERVING as readonly number[]).includes(n)
    await this.#until('the machine answers again', async () => {
      if (isServing) await ask?.('/', { host: this.#sites.still })
      return true
    })
    this.#away.delete(n)
  }

  /** New processes take the place of the old ones, machine by machine. */
  async upgrade(): Promise<void> {
    for (const { installation } of this.#machines) {
      const pids = async () => [
        ...(await installation.children('serve')),
        ...(await installation.children('work')),
      ]
      const before = await pids()
      installation.process.kill('SIGUSR2')
      await this.#until('all processes are new', async () => {
        const now = await pids()
        return now.length >= before.length && now.every((pid) => !before.includes(pid))
      })
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#probes.map((probe) => probe.stop()))
    for (const { installation } of this.#machines) {
      const { exitCode, signalCode } = installation.process
      if (exitCode === null && signalCode === null) await installation.stop('SIGKILL')
      await uninstall(installation)
    }
    for (const store of Object.values(this.stores)) await store.close()
    await this.#moto.stop()
    await this.network.close()
  }
}

async function mailsOf({ folder }: Installation): Promise<string[]> {
  const outbox = join(folder, 'data/outbox')
  const names = await readdir(outbox).catch((): string[] => [])
  return Promise.all(
    names.filter((name) => name.endsWith('.eml')).map((name) => readFile(join(outbox, name), 'utf8')),
  )
}
