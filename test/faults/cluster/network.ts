import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ip = (...args: string[]) => run('ip', args)

/** A network on this computer whose hosts are namespaces, each with a cable that can be pulled. */
export interface Network {
  /** Of this computer. */
  readonly address: string
  /** What a program is started by so that it is on the host. */
  host(n: number): { readonly address: string; readonly enter: readonly [string, ...string[]] }
  pull(n: number): Promise<void>
  plug(n: number): Promise<void>
  close(): Promise<void>
}

export async function openNetwork(hosts: number): Promise<Network> {
  const key = process.pid % 100_000
  const subnet = `10.${100 + (process.pid % 100)}.${Math.floor(process.pid / 100) % 250}`
  const bridge = `ab${key}`
  const name = (n: number) => `al${key}n${n}`
  const cable = (n: number) => `al${key}c${n}`
  const close = async () => {
    for (let n = 0; n < hosts; n++) await ip('netns', 'delete', name(n)).catch(() => {})
    await ip('link', 'delete', bridge).catch(() => {})
  }
  try {
    await ip('link', 'add', bridge, 'type', 'bridge')
    await ip('address', 'add', `${subnet}.1/24`, 'dev', bridge)
    await ip('link', 'set', bridge, 'up')
    for (let n = 0; n < hosts; n++) {
      await ip('netns', 'add', name(n))
      await ip('link', 'add', cable(n), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name(n))
      await ip('link', 'set', cable(n), 'master', bridge, 'up')
      await ip('-n', name(n), 'address', 'add', `${subnet}.${11 + n}/24`, 'dev', 'eth0')
      for (const link of ['lo', 'eth0']) await ip('-n', name(n), 'link', 'set', link, 'up')
      await ip('-n', name(n), 'route', 'add', 'default', 'via', `${subnet}.1`)
    }
  } catch (error) {
    await close()
    throw error
  }
  return {
    address: `${subnet}.1`,
    host: (n) => ({ address: `${subnet}.${11 + n}`, enter: ['nsenter', `--net=/run/netns/${name(n)}`] }),
    pull: async (n) => void (await ip('link', 'set', cable(n), 'down')),
    plug: async (n) => void (await ip('link', 'set', cable(n), 'up')),
    close,
  }
}
