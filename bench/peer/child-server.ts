import { fork } from 'node:child_process'
import { once } from 'node:events'
import { toServerCore } from '../measure/cores.ts'

export interface ChildServer {
  readonly url: string
  readonly pid: number | undefined
  stop(): Promise<void>
}

/** A peer in a process of its own, which tells its port once it listens. */
export async function startChildServer(
  file: string,
  args: readonly string[],
  move: (pid: number) => void = toServerCore,
): Promise<ChildServer> {
  const child = fork(file, args, { env: { ...process.env, UV_THREADPOOL_SIZE: '16' } })
  const exited = once(child, 'exit')
  const port = await Promise.race([
    once(child, 'message').then(([message]) => message as number),
    exited.then(() => {
      throw new Error(`${file} ended before it listened`)
    }),
  ])
  if (child.pid !== undefined) move(child.pid)
  // One that a failed benchmark left behind neither keeps this process from ending nor outlives it.
  child.unref()
  child.channel?.unref()
  process.once('exit', () => child.kill())
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    async stop() {
      child.ref()
      child.kill()
      await exited
    },
  }
}
