/**
 * A process of its own, all of whose threads run when nobody else wants to: those who do their worst have machines of their
 * own, and what is measured is not to wait for them.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { oneConnection, send } from '../load/send.ts'
import { onLastCore } from '../measure/cores.ts'
import { isTrial } from '../measure/trial.ts'
import type { Call } from '../platform/platform.ts'
import { STORMS, type Tally, tally } from './storms.ts'

interface Order {
  readonly name: string
  readonly url: string
  readonly tlsPort: number
  readonly headers: Readonly<Record<string, string>>
  /** For whom everything is done. */
  readonly teamId: string
}

interface Raging {
  begin(): void
  /** Resolves when it is over, with what has become of it. */
  stop(): Promise<Tally>
}

/** Where the groups of processes are that share the CPU, in both versions. */
const GROUPS = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup']

/**
 * Moves a process into a group that runs when no other group wants to, where that is possible. Without one, a function waits for it: functions are in
 * groups of their own, and before them all who run in the group of this program count as one, whatever their priorities are.
 * Returns what removes the group.
 */
function toIdleGroup(pid: number): () => void {
  for (const parent of GROUPS) {
    if (!existsSync(join(parent, 'cgroup.procs'))) continue
    const group = join(parent, `aloft-storm-${pid}`)
    try {
      mkdirSync(group)
      writeFileSync(join(group, 'cpu.idle'), '1')
      writeFileSync(join(group, 'cgroup.procs'), String(pid))
      return () => remove(group)
    } catch {
      remove(group)
    }
  }
  return () => {}
}

function remove(group: string): void {
  try {
    rmdirSync(group)
  } catch {
    // It was never made, or somebody is still in it.
  }
}

/** Makes ready what the storm needs; it begins when it is told to. */
export async function prepareStorm(order: Order): Promise<Raging> {
  const [execPath, execArgv] = onLastCore('chrt', ['--idle', '0', process.execPath])
  const child = fork(import.meta.filename, [JSON.stringify(order)], { execPath, execArgv })
  // On a machine that others keep busy it would not run at all.
  const removeGroup = isTrial ? () => {} : toIdleGroup(child.pid ?? 0)
  const exited = once(child, 'exit').finally(removeGroup)
  const [ready] = await Promise.race([once(child, 'message'), exited])
  if (ready !== 'ready') throw new Error(`${order.name} cannot be done: ${ready}`)
  return {
    begin: () => void child.send('begin'),
    async stop() {
      if (child.connected) child.send('stop')
      const [told] = await Promise.race([once(child, 'message'), exited])
      await exited
      if (typeof told !== 'object' || told === null)
        throw new Error(`${order.name} ended before it was stopped`)
      return told
    },
  }
}

async function main({ name, url, tlsPort, headers, teamId }: Order): Promise<void> {
  const shared = oneConnection()
  const call = async (path: string, { headers: more = {}, agent = shared, ...rest }: Call = {}) => {
    const whole = `${url}${path}${path.includes('?') ? '&' : '?'}teamId=${teamId}`
    const reply = await send({
      ...{ url: whole, headers: { ...headers, ...more }, agent, inPieces: true },
      ...rest,
    })
    if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${reply.body.slice(0, 500)}`)
    return reply
  }
  const rage = await STORMS[name]?.prepare({ url, tlsPort, call })
  const stop = new AbortController()
  process.on('message', (message) => {
    if (message === 'stop') stop.abort()
    else void rage?.(stop.signal).then(() => process.send?.(tally, () => process.exit()))
  })
  process.send?.('ready')
}

if (import.meta.main)
  main(JSON.parse(process.argv[2] ?? '')).catch((error) =>
    process.send?.(String(error), () => process.exit(1)),
  )
