import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deployed } from '#test/support/deploying.ts'
import { type Installation, install, TWO_SERVING, uninstall } from '#test/support/installation.ts'
import { ask } from './client.ts'
import { Model } from './model.ts'
import { ECHO } from './websocket.ts'
import { type Counts, PAUSE_MS, type Sites, Workload } from './workload.ts'

interface WorldOptions {
  readonly seed: number
  readonly env?: Record<string, string>
  /** A server that speaks WebSocket takes a while to be built. */
  readonly chat?: boolean
  /** Between two requests of each who writes or visits. */
  readonly pauseMs?: number
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** So often in a row everything has to work before it counts as recovered. */
const IN_A_ROW = 4
/** So long a change of a site may take to show where the message of it was lost. */
const LATEST_MS = 70_000
/** Nothing may be away for longer; a machine that is busy with much else needs minutes to start processes. */
const LONGEST_MS = 600_000

/** An installation under load, with a model of what it acknowledged. */
export class World {
  aloft: Installation
  readonly sites: Sites
  readonly load: Workload
  readonly #model: Model

  private constructor(aloft: Installation, sites: Sites, model: Model, load: Workload) {
    this.aloft = aloft
    this.sites = sites
    this.#model = model
    this.load = load
  }

  static async create({ seed, env, chat = false, pauseMs = PAUSE_MS }: WorldOptions): Promise<World> {
    const aloft = await install({ env: { ...TWO_SERVING, ALOFT_RATE_LIMIT: '100000000', ...env } })
    try {
      const { port, tlsPort, token, folder } = aloft
      const still = await deployed(aloft, { name: 'still', files: { 'index.html': 'still' } })
      const hello = `module.exports = (req, res) => res.end('hello')\n`
      const code = await deployed(aloft, { name: 'code', files: { 'api/hello.js': hello } })
      const socket = chat ? await deployed(aloft, { name: 'chat', files: ECHO }) : undefined
      const aimed: { id: string; text: string }[] = []
      for (const text of ['first aim', 'second aim', 'third aim'])
        aimed.push({ ...(await deployed(aloft, { name: 'aimed', files: { 'index.html': text } })), text })
      const ca = await readFile(join(env?.ALOFT_DATA_DIR ?? join(folder, 'data'), 'ca.pem'))
      const sites = {
        ...{ still: still.url, code: code.url, chat: socket?.url, aimed },
        ...{ domain: 'standing.example', project: 'still' },
      }
      const model = new Model()
      const target = { port, tlsPort, token, ca }
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ name: sites.domain })
      await ask({ port, host: 'localhost', path: '/v4/domains', method: 'POST', headers, body })
      return new World(aloft, sites, model, new Workload(target, sites, model, seed, pauseMs))
    } catch (error) {
      await aloft.stop('SIGKILL')
      await uninstall(aloft)
      throw error
    }
  }

  get counts(): Counts {
    return this.load.counts
  }

  /** Lets the load run until so many more of its requests were answered. */
  async answers(more: number): Promise<void> {
    const { counts } = this.load
    const sum = () => counts.api.ok + counts.visits.ok
    for (const goal = sum() + more; sum() < goal; ) await pause(20)
  }

  /**
   * Resolves once reading, writing, visiting and calling work; answers the seconds from this moment until the first answers of
   * those that all came, so that a request that had to wait counts with its wait.
   */
  async recovered(from: number): Promise<number> {
    const began = performance.now()
    let since = began
    for (let row = 0; row < IN_A_ROW; ) {
      if (performance.now() - began > LONGEST_MS)
        throw new Error(`not recovered\n${this.aloft.stderr().slice(-3000)}`)
      if (await this.#works()) {
        if (row++ === 0) since = performance.now()
      } else {
        row = 0
        await pause(50)
      }
    }
    return (since - from) / 1000
  }

  async #works(): Promise<boolean> {
    const { port, token } = this.aloft
    const fresh = { port, headers: { connection: 'close' } }
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      connection: 'close',
    }
    const body = JSON.stringify({ name: 'probe', value: 'x' })
    const secrets = { port, host: 'localhost', headers }
    const answers = await Promise.all([
      ask({ ...fresh, host: this.sites.still, path: '/' }),
      ask({ ...fresh, host: this.sites.code, path: '/api/hello' }),
      ask({ ...secrets, path: '/v2/platform/secrets', method: 'POST', body }),
    ]).catch(() => undefined)
    const deleted = await ask({ ...secrets, path: '/v2/platform/secrets/probe', method: 'DELETE' }).catch(
      () => undefined,
    )
    const [still, code] = answers ?? []
    return still?.status === 200 && code?.status === 200 && deleted?.status === 200
  }

  /** What was acknowledged and is not so, in words. */
  lost(): Promise<string[]> {
    return this.load.quietly(async () => {
      await this.#patiently(() => this.load.decide())
      let found = await this.#read()
      // A serving process that missed a message shows what was there before for a while, which is no loss.
      for (const began = performance.now(); !this.#model.allows(found); found = await this.#read()) {
        if (performance.now() - began > LATEST_MS) break
        await pause(1000)
      }
      return this.#model.settle(found)
    })
  }

  #read(): Promise<Map<string, string>> {
    return this.#patiently(() => this.load.read())
  }

  /** An answer that does not come on a busy machine says nothing of what is there: it is asked for again. */
  async #patiently<T>(read: () => Promise<T>): Promise<T> {
    for (const began = performance.now(); ; await pause(1000))
      try {
        return await read()
      } catch (error) {
        if (performance.now() - began > LONGEST_MS) throw error
      }
  }

  /** As a service manager would. */
  async startAgain(): Promise<void> {
    // Processes of the one before may hold the ports for a moment.
    for (let n = 0; ; n++)
      try {
        this.aloft = await this.aloft.restart()
        return
      } catch (error) {
        if (n === 50 || !/is in use/.test(String(error))) throw error
        await pause(100)
      }
  }

  /** All processes below the working process: functions, and what isolates and serves them. */
  async programs(): Promise<number[]> {
    const below = new Map<number, number[]>()
    for (const line of execFileSync('ps', ['-e', '-o', 'pid=,ppid=']).toString().trim().split('\n')) {
      const [pid = 0, parent = 0] = line.trim().split(/\s+/).map(Number)
      below.set(parent, [...(below.get(parent) ?? []), pid])
    }
    const all = (pid: number): number[] => (below.get(pid) ?? []).flatMap((child) => [child, ...all(child)])
    return (await this.aloft.children('work')).flatMap(all)
  }

  async close(): Promise<void> {
    await this.load.stop()
    await this.aloft.stop()
    await this.aloft.stop('SIGKILL')
    await uninstall(this.aloft)
  }
}
