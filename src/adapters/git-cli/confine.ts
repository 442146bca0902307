import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'

/** Turns a command into one that sees little more of the machine than this folder. */
export type Confine = (
  argv: readonly string[],
  options: { readonly folder: string; readonly writable: boolean; readonly network?: boolean },
) => readonly string[]

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64'] as const
/** What a program needs to find a host by its name and to trust it. */
const NETWORK = [
  '/etc/resolv.conf',
  '/etc/hosts',
  '/etc/passwd',
  '/etc/nsswitch.conf',
  '/etc/ssl',
  '/etc/ca-certificates',
] as const

const binds = (paths: readonly string[]) =>
  paths.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', path, path])

const bubblewrap: Confine = (argv, { folder, writable, network }) => [
  'bwrap',
  '--die-with-parent',
  '--new-session',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  ...(network ? [] : ['--unshare-net']),
  ...['--cap-drop', 'ALL'],
  ...binds(SYSTEM),
  ...(network ? binds(NETWORK) : []),
  ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
  ...[writable ? '--bind' : '--ro-bind', folder, folder],
  ...['--chdir', '/'],
  '--',
  ...argv,
]

const none: Confine = (argv) => argv

/** Bubblewrap where the machine has it and lets it work; `required` refuses to go on without. */
export async function openConfine(mode: 'required' | 'auto' | 'off'): Promise<Confine> {
  if (mode === 'off') return none
  try {
    const [program, ...args] = bubblewrap(['true'], { folder: '/tmp', writable: false }) as [
      string,
      ...string[],
    ]
    await promisify(execFile)(program, args, { timeout: 10_000, env: { PATH: '/usr/bin:/bin' } })
    return bubblewrap
  } catch (error) {
    if (mode === 'auto') return none
    throw new Error('Git cannot be run in a sandbox on this machine, and ALOFT_SANDBOX requires it.', {
      cause: error,
    })
  }
}
