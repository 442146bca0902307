import type { SandboxReport } from '../ports/sandbox.ts'

/** What this machine is, as far as a sandbox depends on it. */
export interface MachineFacts {
  readonly platform: NodeJS.Platform
  /** The distribution and those it descends from, as /etc/os-release names them. */
  readonly distributions: readonly string[]
  readonly isRoot: boolean
  readonly inContainer: boolean
  /** Settings of the kernel about user namespaces; undefined where it has no such setting. */
  readonly userNamespaces: {
    readonly apparmorRestricts?: boolean
    readonly unprivileged?: boolean
    readonly most?: number
  }
  /** The version of cgroups; null where there are none. */
  readonly cgroups: 1 | 2 | null
}

/** What is missing for a sandbox, what that means, and how it is got. */
export interface SandboxAdvice {
  readonly problem: string
  readonly meaning: string
  /** One line for a shell. */
  readonly command?: string
  /** Where no command helps. */
  readonly hint?: string
}

type Family = 'debian' | 'fedora' | 'arch' | 'alpine' | 'suse'

const FAMILIES: Readonly<Record<Family, readonly string[]>> = {
  debian: ['debian', 'ubuntu'],
  fedora: ['fedora', 'rhel', 'centos'],
  arch: ['arch'],
  alpine: ['alpine'],
  suse: ['suse', 'opensuse'],
}

const INSTALL: Readonly<Record<Family, string>> = {
  debian: 'apt install',
  fedora: 'dnf install',
  arch: 'pacman -S',
  alpine: 'apk add',
  suse: 'zypper install',
}

/** The packages that programs come in. */
function packageOf(program: string, family: Family): string {
  if (program === 'bwrap') return 'bubblewrap'
  if (program === 'nft') return 'nftables'
  if (program === 'ip') return family === 'fedora' ? 'iproute' : 'iproute2'
  if (program === 'sh' || program === 'mkdir' || program === 'chown') return 'coreutils'
  return 'util-linux'
}

const asRoot = (command: string, { isRoot }: MachineFacts): string => (isRoot ? command : `sudo ${command}`)

function installing(lacking: readonly string[], machine: MachineFacts): string | undefined {
  const family = (Object.keys(FAMILIES) as Family[]).find((name) =>
    FAMILIES[name].some((id) => machine.distributions.includes(id)),
  )
  if (family === undefined) return undefined
  const packages = [...new Set(lacking.map((program) => packageOf(program, family)))]
  return asRoot(`${INSTALL[family]} ${packages.join(' ')}`, machine)
}

/** Holds now and after the next start of the machine. */
const setting = (line: string, machine: MachineFacts): string =>
  `echo ${line} | ${asRoot('tee /etc/sysctl.d/60-aloft.conf', machine)} && ${asRoot('sysctl --system', machine)}`

/** Why the kernel does not let an ordinary user make namespaces, and the setting that lets it. */
function forbidden(
  machine: MachineFacts,
): { readonly problem: string; readonly command: string } | undefined {
  const { apparmorRestricts, unprivileged, most } = machine.userNamespaces
  if (most === 0)
    return {
      problem: 'user namespaces are disabled on this machine (user.max_user_namespaces=0)',
      command: setting('user.max_user_namespaces=15000', machine),
    }
  if (unprivileged === false)
    return {
      problem:
        'ordinary users are not allowed to create user namespaces on this machine (kernel.unprivileged_userns_clone=0)',
      command: setting('kernel.unprivileged_userns_clone=1', machine),
    }
  if (apparmorRestricts === true)
    return {
      problem:
        'AppArmor does not allow ordinary users to create user namespaces, as on Ubuntu since 23.10 (kernel.apparmor_restrict_unprivileged_userns=1)',
      command: setting('kernel.apparmor_restrict_unprivileged_userns=0', machine),
    }
  return undefined
}

const UNPROTECTED =
  'Builds and functions run with your permissions: they can read your files and reach everything this machine can reach. Deploy only code that you trust.'
const NO_NETWORK = 'Builds cannot install packages, and functions have no network access.'

const SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'macOS', freebsd: 'FreeBSD' }

/** Undefined where nothing is missing that anybody could do something about. */
export function adviseSandbox(
  { way, network, notTaken }: SandboxReport,
  machine: MachineFacts,
): SandboxAdvice | undefined {
  const meaning = way === 'none' ? UNPROTECTED : NO_NETWORK
  if (way !== 'none' && network !== 'refused') return undefined
  const what = way === 'none' ? 'There is no sandbox' : 'The sandbox has no network'
  if (machine.platform !== 'linux')
    return {
      problem: `${what} on ${SYSTEMS[machine.platform] ?? 'this system'}: it needs Linux.`,
      meaning,
      hint: 'To run code you don’t trust, use Linux or a virtual machine with Linux.',
    }
  const tried = notTaken.filter((each) => !isFenced(each))
  // Once it lets them, there is a way that needs nothing else.
  const rule = machine.isRoot ? undefined : forbidden(machine)
  if (rule) return { problem: `${what}: ${rule.problem}.`, meaning, command: rule.command }
  // What was tried first is the best, and enough.
  const lacking = tried.find((each) => each.lacking.length > 0)?.lacking ?? []
  if (lacking.length > 0) {
    const command = installing(lacking, machine)
    return {
      problem: `${what}: ${lacking.join(', ')} ${lacking.length === 1 ? 'is' : 'are'} not installed.`,
      meaning,
      ...(command === undefined
        ? { hint: 'Install the packages of these programs and restart the server.' }
        : { command }),
    }
  }
  const why = tried.at(-1)?.why ?? 'the kernel refused it'
  return {
    problem: `${what}: ${why}.`,
    meaning,
    hint: machine.inContainer
      ? 'Start the container with `--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined`, which allows it to create namespaces.'
      : 'See the page “Installing” for the requirements.',
  }
}

/** Only root can have it, and nobody needs it. */
const isFenced = ({ what }: SandboxReport['notTaken'][number]): boolean => what === 'fenced'

const LIMITED = {
  run: 'of a run',
  process: 'of each process',
  user: 'of all runs together',
  none: 'not limited',
} as const

const NETWORKS: Readonly<Record<SandboxReport['network'], string>> = {
  fenced: 'fenced off by the kernel',
  gateway: 'through the platform',
  refused: 'none',
  machine: 'the network of this machine, without restrictions',
}

/** What is in force, in a few words each. */
export const sandboxWords = (
  { network, limits }: Pick<SandboxReport, 'network' | 'limits'>,
  cgroups: MachineFacts['cgroups'],
): readonly (readonly [string, string])[] => [
  ['network', NETWORKS[network]],
  ['memory', LIMITED[limits.memory]],
  ['CPU', LIMITED[limits.cpu]],
  ['processes', LIMITED[limits.processes]],
  ['system calls', limits.systemCalls ? 'filtered' : 'not filtered'],
  ['cgroups', cgroups === null ? 'none' : `version ${cgroups}`],
]
