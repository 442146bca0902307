import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { SECOND } from '#contract/time.ts'
import {
  type Lease,
  type LeaseOptions,
  type ProgramRef,
  type Runner,
  RunnerError,
} from '#core/ports/runner.ts'

/** The functions of one machine, as a serving process sees them. */
export interface MachineRunner extends Runner {
  /** Whether its working process answers. */
  readonly isConnected: boolean
  /** Whether an instance of this program is known that takes requests. */
  hasInstance(program: ProgramRef): boolean
  /**
   * Of a machine that was not heard of for long: nothing more is asked of it. What is under way there goes on if it still
   * answers, and else ends as that of a machine that is lost.
   */
  leave(): void
  close(): void
}

/** What a request that waits for an instance of another machine gets when the connection to that machine breaks. */
export class MachineLost extends RunnerError {
  constructor() {
    super('unavailable', 'The machine does not answer any more')
  }
}

export interface OtherMachine {
  readonly name: string
  /** The region that it is in. */
  readonly origin: string
  /** Of the last minute, for each processor. */
  readonly load: number
  readonly runner: MachineRunner
}

interface ClusterRunnerOptions {
  /** Of this machine. */
  readonly own: MachineRunner
  /** The region that this machine is in. */
  readonly origin: string
  /** Whether this machine is to be left alone. */
  readonly isDraining: () => boolean
  /** Those that run functions and are not to be left alone. */
  readonly others: () => readonly OtherMachine[]
  readonly waitMs?: number
}

/** To start an instance where none is costs about as much as a machine whose processors are all in use. */
const START_COST = 1
/** So many requests of this process make a machine as busy as one more processor in use would. */
const REQUESTS_PER_LOAD = 32
/** How long a request waits while all machines that run functions are lost, as it does where there is only this one. */
const WAIT_MS = 30 * SECOND
const LOOK_MS = 20
const MOST_LOOKS = 50

/**
 * Gives requests to the functions of this machine, and where it runs none, or not now, to those of others: to the one that has least
 * to do, an instance that runs before one that has to be started. Machines of the wanted regions come before all others, this one
 * too. Where a machine turns out to be gone, the next one is asked; where all are, the request waits for the first to come back.
 */
export function createClusterRunner({
  own,
  origin,
  isDraining,
  others,
  waitMs = WAIT_MS,
}: ClusterRunnerOptions): Runner {
  const underWay = new Map<string, number>()

  const count = (name: string, by: number) => underWay.set(name, (underWay.get(name) ?? 0) + by)

  const costOf = (machine: OtherMachine, program: ProgramRef): number =>
    machine.load +
    (underWay.get(machine.name) ?? 0) / REQUESTS_PER_LOAD +
    (machine.runner.hasInstance(program) ? 0 : START_COST)

  const connected = () => others().filter(({ runner }) => runner.isConnected)

  const isAnyThere = () => own.isConnected || connected().length > 0
  let looking: Promise<void> | undefined

  /** Until one is connected, or for a moment: a machine whose working process is replaced is back soon. */
  const untilAnyIsThere = (): Promise<void> => {
    looking ??= (async () => {
      for (let looks = 0; looks < MOST_LOOKS; looks++) {
        await pause(LOOK_MS)
        if (isAnyThere()) break
      }
      looking = undefined
    })()
    return looking
  }

  /** Whether the request is no worse off here than elsewhere. A certain instance is looked for here first. */
  const isForHere = ({ regions, instance }: LeaseOptions): boolean =>
    regions === undefined ||
    instance !== undefined ||
    regions.includes(origin) ||
    !connected().some((machine) => regions.includes(machine.origin))

  function inOrder(program: ProgramRef, { affinity }: LeaseOptions): readonly OtherMachine[] {
    // Other serving processes choose alike.
    const rank = (machine: OtherMachine): number | string =>
      affinity === undefined
        ? costOf(machine, program)
        : createHash('sha1').update(`${affinity}\0${machine.name}`).digest('hex')
    return connected()
      .map((machine) => ({ machine, rank: rank(machine) }))
      .sort((a, b) => (a.rank < b.rank ? -1 : 1))
      .map(({ machine }) => machine)
  }

  async function leaseFrom(
    machine: OtherMachine,
    program: ProgramRef,
    options: LeaseOptions,
  ): Promise<Lease> {
    count(machine.name, 1)
    try {
      const lease = await machine.runner.lease(program, options)
      return {
        instanceId: lease.instanceId,
        socket: lease.socket,
        connect: lease.connect,
        isCold: lease.isCold === true,
        release(end) {
          count(machine.name, -1)
          lease.release(end)
        },
        isHostLost: () => lease.isHostLost?.() ?? Promise.resolve(false),
      }
    } catch (error) {
      count(machine.name, -1)
      throw error
    }
  }

  async function leaseElsewhere(program: ProgramRef, options: LeaseOptions, first: unknown): Promise<Lease> {
    let reason = first
    const { regions } = options
    const isWanted = (machine: OtherMachine) => regions?.includes(machine.origin) ?? true
    const until = performance.now() + waitMs
    for (;;) {
      const machines = inOrder(program, options)
      let isAnyLost = false
      const mayBeHere = first === undefined && own.isConnected && !isDraining()
      for (const machine of [
        ...machines.filter(isWanted),
        ...(mayBeHere ? [undefined] : []),
        ...machines.filter((machine) => !isWanted(machine)),
      ])
        try {
          return await (machine ? leaseFrom(machine, program, options) : own.lease(program, options))
        } catch (error) {
          if (!mayBeElsewhere(error, options)) throw error
          reason = error
          isAnyLost ||= error instanceof MachineLost
        }
      // Where none has been lost, waiting does not help.
      if (others().length === 0 || (isAnyThere() && !isAnyLost) || performance.now() >= until) break
      await untilAnyIsThere()
      if (options.signal?.aborted) break
    }
    if (reason !== undefined) throw reason
    // It has waited for this machine as well by now.
    if (others().length > 0 && !isAnyThere() && options.signal?.aborted !== true)
      throw new RunnerError('unavailable', 'Nothing runs programs at the moment')
    // None of them: this machine waits for its working process, as it does alone.
    return own.lease(program, options)
  }

  return {
    lease(program, options = {}) {
      if (!own.isConnected || (isDraining() && others().length > 0) || !isForHere(options))
        return leaseElsewhere(program, options, undefined)
      const fallBack = (error: unknown) => {
        if (!mayBeElsewhere(error, options)) throw error
        return leaseElsewhere(program, options, error)
      }
      try {
        const lease = own.lease(program, options)
        return lease instanceof Promise ? lease.catch(fallBack) : lease
      } catch (error) {
        return fallBack(error)
      }
    },
  }
}

/** A certain instance may be on any machine; and what does not answer here may answer there. */
const mayBeElsewhere = (error: unknown, { instance, signal }: LeaseOptions): boolean =>
  error instanceof RunnerError &&
  signal?.aborted !== true &&
  (error.fault === 'unavailable' || (error.fault === 'absent' && instance !== undefined))
