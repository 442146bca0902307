import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '#test/support/free-port.ts'
import { type Installation, install, TOKEN, uninstall } from '#test/support/installation.ts'
import { startS3, type TestS3 } from '#test/support/storage/s3.ts'
import { makeAuthority, makeLeaf, type Signer } from '#test/support/tls/pki.ts'
import { type Agreed, Agreement, SUBJECTS, type Subject } from './agreement.ts'
import { type Answer, type Ask, createAsk, Probe } from './load.ts'
import { fingerprintOf, shownCertificate, shownTexts } from './looking.ts'
import { type Network, openNetwork } from './network.ts'
import { openPostgres, openRedis, openRelay, type Store } from './stores.ts'
import { type Observation, watchName } from './watch-name.ts'

const main = resolve(import.meta.dirname, '../../../src/main.ts')
const PORT = 3000
const TLS_PORT = 3443
const DNS_PORT = 5300
const API = `localhost:${PORT}`
const ALIAS = 'moving.cluster.test'
/** Bought from the registrar that sells names for trying out. */
const DOMAIN = 'cluster-agrees.com'
const RECORD = { type: 'TXT', name: 'moving' }

/** A page that is kept for longer than the load goes on, and tells when it was made. */
const NOW = `module.exports = (req, res) => {
  res.setHeader('cache-control', 's-maxage=86400')
  res.end(String(Date.now()))
}
`

const ROLES = ['serve', 'all', 'work'] as const
/** The machines that answer visitors. */
const SERVING = [0, 1] as const

/** Who asks. Each is somebody else, with a connection of its own: nobody waits for what another has asked for. */
type Asker = 'pages' | 'functions' | 'deployments' | 'mails' | Subject | 'comparing'

interface Machine {
  installation: Installation
  readonly address: string
  readonly askers: Map<Asker, Ask>
  /** On a connection that is kept, and on one for each question; given up after as long as a name may differ. */
  readonly watchers: { readonly alias: readonly [Ask, Ask]; readonly page: readonly [Ask, Ask] }
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
  /** Of what was changed: how often, and the longest that a machine showed what was before. */
  readonly agreed: Readonly<Record<Subject, Agreed>>
  readonly lost: readonly string[]
  readonly twice: readonly string[]
  /** Whoever did not answer when that was looked for. */
  readonly unanswered: readonly string[]
  readonly reasons: readonly string[]
  /** For how long this test itself did not get to do anything: what it asked for then may seem to be unanswered. */
  readonly stoodStillMs: number
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
  readonly #agreements = new Map(SUBJECTS.map((subject) => [subject, new Agreement()]))
  #record = ''
  #authority: Signer | undefined
  /** Machines that cannot be asked at the moment. */
  readonly #away = new Set<number>()
  #serial = 0

  readonly #tell: (what: string) => void

  private constructor(
    network: Network,
    stores: Cluster['stores'],
    moto: TestS3,
    tell: (what: string) => void,
  ) {
    this.#tell = tell
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
      s3: await openRelay(address, s3, Number(new URL(moto.endpoint).port)),
    }
    const cluster = new Cluster(network, stores, moto, tell)
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
      ports: { port: PORT, tlsPort: TLS_PORT },
      env: {
        ...{ ...env, ...own, ALOFT_HOST: address, ALOFT_BASE_URL: `http://${API}` },
        ALOFT_DNS_PORT: String(DNS_PORT),
      },
    })
    const watcher = (isKept: boolean) => createAsk({ address, port: PORT }, { isKept, timeoutMs: 1_000 })
    const both = () => [watcher(true), watcher(false)] as const
    const watchers = { alias: both(), page: both() }
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

  readonly #sites = { still: '', code: '', page: '', aimed: [] as { id: string; text: string }[] }

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
    this.#sites.page = (await ready('page', { 'api/now.js': NOW })).url
    for (const text of ['left', 'right'])
      this.#sites.aimed.push({ id: (await ready(text, { 'index.html': text })).id, text })
    await this.#api('record', '/v4/domains/buy', 'POST', { name: DOMAIN, expectedPrice: 12 })
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
      new Probe('writes', 1_000, () => this.#changeRecord()),
      new Probe('writes', 1_000, () => this.#changeCertificate()),
      new Probe('writes', 1_000, () => this.#purge()),
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

  /** Changes something, and sees to it that all serving machines come to show it. */
  async #change(
    subject: Subject,
    change: () => Promise<void>,
    looks: (n: number) => readonly (() => Promise<Observation['is']>)[],
  ): Promise<void> {
    // From before it is changed: whoever shows it first may do so before the one who changes it is answered.
    const watches = SERVING.flatMap((n) =>
      looks(n).map((look, way) => ({
        of: `the ${subject} of machine ${n}, asked in way ${way}`,
        ...watchName(async () => {
          if (this.#away.has(n)) return 'away'
          const is = await look()
          return this.#away.has(n) ? 'away' : is
        }),
      })),
    )
    try {
      await change()
      await Promise.all(
        watches.map((watch) =>
          watch.settled(30_000).catch((error: Error) => {
            throw new Error(`${watch.of}, ${error.message}`)
          }),
        ),
      )
      this.#agreements.get(subject)?.note(watches.flatMap((watch) => watch.looks))
    } finally {
      for (const watch of watches) watch.stop()
    }
  }

  /** What is answered when something is changed; throws where that is refused. */
  async #must(subject: Subject, path: string, method: string, body: object): Promise<Answer> {
    const answer = await this.#api(subject, path, method, body)
    if (answer.status !== 200)
      throw new Error(`a change of a ${subject} was answered ${answer.status}: ${answer.text.slice(0, 100)}`)
    return answer
  }

  async #move(): Promise<void> {
    const next = this.#sites.aimed.find(({ text }) => text !== this.#isShowing)
    if (!next) return
    const move = async () => {
      await this.#must('alias', `/v2/platform/deployments/${next.id}/aliases`, 'POST', { alias: ALIAS })
      this.#isShowing = next.text
    }
    const look = (ask: Ask) => async () => {
      const answer = await ask('/', { host: ALIAS }).catch(() => undefined)
      // Whoever says nothing says nothing wrong; what fails is counted by others.
      if (answer?.status !== 200) return this.#isShowing === '' ? 'other' : 'silent'
      return answer.text === next.text ? 'wanted' : 'other'
    }
    await this.#change('alias', move, (n) => this.#machine(n).watchers.alias.map(look))
  }

  async #changeRecord(): Promise<void> {
    const value = `text ${this.#serial++}`
    const change = async () => {
      if (this.#record !== '')
        return void (await this.#must('record', `/v2/domains/records/${this.#record}`, 'PATCH', { value }))
      const made = await this.#must('record', `/v2/domains/${DOMAIN}/records`, 'POST', { ...RECORD, value })
      this.#record = (JSON.parse(made.text) as { uid: string }).uid
    }
    await this.#change('record', change, (n) => [
      async () => {
        const at = { address: this.#machine(n).address, port: DNS_PORT }
        const texts = await shownTexts(at, `${RECORD.name}.${DOMAIN}`)
        return texts === undefined ? 'silent' : texts.includes(value) ? 'wanted' : 'other'
      },
    ])
  }

  async #changeCertificate(): Promise<void> {
    const name = `www.${DOMAIN}`
    this.#authority ??= await makeAuthority()
    const { cert, key } = await makeLeaf(this.#authority, [name])
    const wanted = fingerprintOf(cert)
    const body = { ca: this.#authority.cert, cert, key }
    const change = async () => void (await this.#must('certificate', '/v3/platform/certs', 'PUT', body))
    await this.#change('certificate', change, (n) => [
      async () => {
        const at = { address: this.#machine(n).address, port: TLS_PORT }
        const shown = await shownCertificate(at, name)
        return shown === undefined ? 'silent' : shown === wanted ? 'wanted' : 'other'
      },
    ])
  }

  /** A page that every machine keeps is made anew. */
  async #purge(): Promise<void> {
    const path = '/api/now'
    const look = (ask: Ask, since: number) => async () => {
      const answer = await ask(path, { host: this.#sites.page }).catch(() => undefined)
      if (answer?.status !== 200) return 'silent'
      return Number(answer.text) >= since ? 'wanted' : 'other'
    }
    const since = Date.now()
    const purge = async () =>
      void (await this.#must('page', '/v1/projects/page/cache/purge', 'POST', { paths: [path] }))
    await this.#change('page', purge, (n) => this.#machine(n).watchers.page.map((ask) => look(ask, since)))
  }

  /** Does something to the installation and tells what became of the load. `over` is when it should recover from. */
  async during(breakIt: () => Promise<void>, { quietMs = 5_000 } = {}): Promise<Outcome> {
    for (const probe of this.#probes) probe.clear()
    for (const agreement of this.#agreements.values()) agreement.clear()
    const delay = monitorEventLoopDelay()
    delay.enable()
    await pause(1_000)
    await breakIt()
    const over = performance.now()
    // Until nothing has failed for a while.
    await this.#until('everything works again', async () => {
      const last = Math.max(over, ...this.#probes.map(({ failedAt }) => failedAt))
      return performance.now() - last > quietMs
    }).catch((error: Error) => {
      throw new Error(`${error.message}:\n${this.#reasons().join('\n')}`, { cause: error })
    })
    const last = Math.max(...this.#probes.map(({ failedAt }) => failedAt))
    const of = (name: string) => {
      const probes = this.#probes.filter((probe) => probe.name === name)
      const sum = (pick: (probe: Probe) => number) => probes.reduce((all, probe) => all + pick(probe), 0)
      const longestMs = Math.max(...probes.map((probe) => probe.longestMs))
      return { ok: sum(({ ok }) => ok), failed: sum(({ failed }) => failed), longestMs }
    }
    const outcome = { pages: of('pages'), functions: of('functions'), writes: of('writes') }
    const reasons = this.#reasons()
    delay.disable()
    const { lost, twice, unanswered } = await this.#compare()
    return {
      ...outcome,
      recoveredMs: Math.max(0, last - over),
      agreed: Object.fromEntries(
        [...this.#agreements].map(([subject, { changes, longestMs }]) => [subject, { changes, longestMs }]),
      ) as Record<Subject, Agreed>,
      ...{ lost, twice, unanswered, reasons, stoodStillMs: delay.max / 1e6 },
    }
  }

  #reasons(): string[] {
    return this.#probes.flatMap((probe) => [...probe.reasons].map((why) => `${probe.name}: ${why}`))
  }

  /** What was acknowledged against what is there. */
  async #compare(): Promise<{ lost: string[]; twice: string[]; unanswered: string[] }> {
    const lost: string[] = []
    const unanswered: string[] = []
    for (const [id, { url, text }] of this.#deployed) {
      const [{ status }, shown] = await this.#comparison(unanswered, async () => [
        await this.#api('comparing', `/v8/platform/deployments/${id}`),
        await this.#ask(this.#serving(), 'comparing')('/', { host: url }),
      ])
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
    return { lost, twice, unanswered }
  }

  /** Asks once more where nobody answers: what is not shown now is not lost. */
  async #comparison<T>(unanswered: string[], ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      unanswered.push(error instanceof Error ? error.message : String(error))
      return await ask()
    }
  }

  /** All of its processes at once. */
  async kill(n: number): Promise<void> {
    this.#leave(n)
    await this.#machine(n).installation.kill()
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
    const [, ask] = this.#machine(n).watchers.alias
    const isServing = (SERVING as readonly number[]).includes(n)
    await this.#until('the machine answers again', async () => {
      if (isServing) await ask('/', { host: this.#sites.still })
      return true
    })
    this.#away.delete(n)
  }

  /** New processes take the place of the old ones, machine by machine. */
  async upgrade(): Promise<void> {
    for (const [n, { installation }] of this.#machines.entries()) {
      const begun = performance.now()
      const since = () => `${((performance.now() - begun) / 1000).toFixed(1)} s`
      const said = installation.stderr().length
      const news = () => installation.stderr().slice(said)
      installation.process.kill('SIGUSR2')
      // Where processors are short, a process takes long to start; whoever refuses says so at once.
      const until = (words: RegExp) =>
        this.#until(
          `machine ${n} says ${words}`,
          async () => words.test(news()) || /nothing was restarted/.test(news()),
          600_000,
        )
      await until(/new processes have taken over/)
      const taken = since()
      await until(/the old processes have stopped/)
      if (/nothing was restarted|did not stop in time/.test(news()))
        throw new Error(`machine ${n} was not upgraded in order:\n${news()}`)
      this.#tell(
        `machine ${n}: new processes have taken over after ${taken}, the old ones ended after ${since()}`,
      )
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
