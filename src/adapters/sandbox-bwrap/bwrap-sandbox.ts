import { readFile } from 'node:fs/promises'
import {
  type Sandbox,
  SandboxError,
  type SandboxedProcess,
  type SandboxLimits,
  type SandboxReport,
  type SandboxRun,
} from '#core/ports/sandbox.ts'
import { portsOf } from '../sandbox-network/reachable-ports.ts'
import { codeRangeBytes, fileLimitArgs, rlimitArgs } from './arguments/start-argv.ts'
import type { SystemView } from './arguments/system-view.ts'
import { linkBounded, mountBounded } from './bounded-folder.ts'
import { startBwrap } from './bwrap-run.ts'
import { createCgroup } from './cgroup/cgroup.ts'
import type { CgroupPlaces } from './cgroup/cgroup-places.ts'
import { assertRun } from './check-run.ts'
import type { NetworkPool } from './network/network-pool.ts'
import { type Ended, type Started, supervise } from './supervise.ts'
import type { Tools } from './tools.ts'
import type { UserIds } from './user-ids.ts'

/** What this machine has, as found when the sandbox is opened. */
export interface Abilities {
  readonly name: string
  readonly tools: Tools
  readonly view: SystemView
  readonly way: 'bubblewrap' | 'namespaces'
  /** Whether system calls are. */
  readonly filtered: boolean
  readonly places: CgroupPlaces | undefined
  /** Undefined where the platform is not root. */
  readonly users: UserIds | undefined
  /** Or why there is none. */
  readonly networks: NetworkPool | string
  readonly inherited: readonly number[]
  /** See `Start`. */
  readonly ambient: boolean
  readonly userns: boolean
  /** Whether folders in memory are made before bubblewrap starts, so that they hold only so many files. */
  readonly stages: boolean
  readonly report: SandboxReport
}

export class BwrapSandbox implements Sandbox {
  readonly kind: Abilities['way']
  readonly report: SandboxReport
  readonly missing: readonly string[]
  readonly boundsFolders = true
  readonly #has: Abilities
  readonly #running = new Set<SandboxedProcess>()
  #runs = 0
  /** See `codeRangeBytes`: the same for all runs. */
  #reservedBytes: Promise<number> | undefined
  #closing: Promise<void> | undefined

  constructor(abilities: Abilities) {
    this.#has = abilities
    this.kind = abilities.way
    this.report = abilities.report
    this.missing = abilities.report.missing
  }

  async reach(env: Readonly<Record<string, string>>): Promise<void> {
    const { networks } = this.#has
    if (typeof networks !== 'string') await networks.reach?.(portsOf(env))
  }

  spawn(run: SandboxRun): SandboxedProcess {
    assertRun(run)
    if (this.#closing) throw new SandboxError('closed', 'The sandbox is closed')
    const { networks } = this.#has
    if (run.network === 'outbound' && typeof networks === 'string')
      throw new SandboxError('no_outbound', `No fenced-off network for this run: ${networks}`)
    const process = supervise(run, () => this.#start(run))
    this.#running.add(process)
    const forget = () => this.#running.delete(process)
    process.exit.then(forget, forget)
    return process
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    for (const process of this.#running) process.kill()
    await Promise.allSettled([...this.#running].map((process) => process.exit))
    const { networks, view } = this.#has
    if (typeof networks !== 'string') await networks.close()
    await view.remove()
  }

  /** In place of cgroups. */
  async #processLimits(limits: SandboxLimits, isOwnUser: boolean): Promise<readonly string[]> {
    this.#reservedBytes ??= readFile('/proc/self/maps', 'utf8').then(codeRangeBytes)
    const reservedBytes = await this.#reservedBytes
    return rlimitArgs(limits, await readFile('/proc/self/limits', 'utf8'), { isOwnUser, reservedBytes })
  }

  async #start(run: SandboxRun): Promise<Started> {
    const { name, tools, places, users, networks } = this.#has
    const undo: (() => unknown)[] = []
    const release = async () => {
      for (const step of undo.reverse()) await step()
    }
    try {
      const uid = users?.take()
      if (uid !== undefined) undo.push(() => users?.release(uid))
      const cgroup = places && (await createCgroup(places, `${name}-${this.#runs++}`, run.limits))
      if (cgroup) undo.push(() => cgroup.remove())
      let enter: readonly string[] | undefined
      if (run.network === 'outbound' && typeof networks !== 'string') {
        await this.reach(run.env)
        const network = await networks.take()
        enter = network.enter
        undo.push(() => networks.release(network))
      }
      const bounded = run.binds.filter(({ maxBytes }) => maxBytes !== undefined)
      if (users)
        for (const { host, maxBytes = 0 } of bounded)
          undo.push(await mountBounded(tools, name, host, maxBytes))
      const limited = places?.folders.memory !== undefined && places.folders.pids !== undefined
      const rlimits = [
        ...(limited ? [] : await this.#processLimits(run.limits, uid === undefined)),
        ...fileLimitArgs(run.limits),
      ]
      const binds = users ? run.binds.map(({ maxBytes: _, ...bind }) => bind) : run.binds
      const started = await startBwrap({ ...this.#has, run: { ...run, binds }, cgroup, enter, uid, rlimits })
      if (!users)
        for (const { host, inside } of bounded) {
          const pid = await started.insider()
          if (pid !== undefined) undo.push(await linkBounded(host, pid, inside))
        }
      return { ...started, ended: this.#released(started.ended, release) }
    } catch (error) {
      await release()
      if (error instanceof SandboxError) throw error
      throw new SandboxError('not_started', `The sandbox could not be made: ${(error as Error).message}`, {
        cause: error,
      })
    }
  }

  /** What a run that does not end still holds is given to no other. */
  async #released(ended: Promise<Ended>, release: () => Promise<void>): Promise<Ended> {
    try {
      const how = await ended
      await release()
      return how
    } catch (error) {
      if (!(error instanceof SandboxError && error.kind === 'not_ended')) await release()
      throw error
    }
  }
}
