import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

const INSIDE = 'ALOFT_TEST_OWN_NAMESPACES'

const NAMESPACES = ['--pid', '--mount', '--mount-proc', '--fork', '--kill-child']

/** Whether this user may, and the machine has the programs for it. */
export const canHaveOwnNamespaces = (): boolean =>
  process.env[INSIDE] !== undefined ||
  spawnSync('setpriv', ['--pdeathsig', 'KILL', 'unshare', '--net', ...NAMESPACES, 'ip', 'link'], {
    stdio: 'ignore',
  }).status === 0

/**
 * Runs the file once more, in namespaces of its own, and ends with it. Whatever it does to its network, and whichever
 * processes it leaves behind, nothing of that is left when the namespaces go. Returns at once inside of them.
 */
export async function inOwnNamespaces(
  file: string,
  network: 'own' | 'machine' | 'own, connected' = 'own',
  args: readonly string[] = [],
): Promise<void> {
  if (process.env[INSIDE] !== undefined) {
    if (network !== 'machine') execFileSync('ip', ['link', 'set', 'lo', 'up'])
    return
  }
  const namespaces = [...(network === 'machine' ? [] : ['--net']), ...NAMESPACES]
  const again = [process.execPath, ...process.execArgv, file, ...args]
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'unshare', ...namespaces, ...again], {
    stdio: 'inherit',
    env: { ...process.env, [INSIDE]: '1' },
  })
  const outside = network === 'own, connected' ? connectOutside(child.pid as number) : undefined
  const [code] = await once(child, 'exit')
  outside?.kill()
  process.exit(code ?? 1)
}

/** A way out of a network namespace that changes nothing of the machine's own network. */
function connectOutside(pid: number): ChildProcess {
  return spawn('slirp4netns', ['--configure', '--mtu=1500', '--disable-host-loopback', `${pid}`, 'tap0'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** Resolves once a namespace that was to be connected is. */
export async function connected(): Promise<void> {
  while (!execFileSync('ip', ['route', 'show', 'default'], { encoding: 'utf8' }).includes('tap0'))
    await new Promise((resolve) => setTimeout(resolve, 20))
}
