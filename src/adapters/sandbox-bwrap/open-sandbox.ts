import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MINUTE } from '#contract/time.ts'
import { createDestinations, type Destinations, GATEWAY } from '#core/outbound/destinations.ts'
import type { Log } from '#core/ports/log.ts'
import {
  type NotTaken,
  type Sandbox,
  SandboxError,
  type SandboxReport,
  type SandboxRun,
} from '#core/ports/sandbox.ts'
import { FD } from './arguments/bwrap-args.ts'
import { inheritedFiles } from './arguments/inherited-files.ts'
import { FOR_STAGES } from './arguments/start-argv.ts'
import { createSystemView } from './arguments/system-view.ts'
import { FOR_NAMESPACES, SETUP } from './arguments/unshare-args.ts'
import { removeStaleFolders } from './bounded-folder.ts'
import { type Abilities, BwrapSandbox } from './bwrap-sandbox.ts'
import { removeStaleCgroups } from './cgroup/cgroup.ts'
import { type CgroupPlaces, CONTROLLERS, findCgroupPlaces, isWritable } from './cgroup/cgroup-places.ts'
import { openNetworks } from './network/open-networks.ts'
import { clearStale, nextOwner, ownerName } from './owner-name.ts'
import { runTool } from './run-tool.ts'
import { seccompFilter } from './seccomp/seccomp.ts'
import { absent, findTools, type ToolName } from './tools.ts'
import { createUnsandboxed } from './unsandboxed.ts'
import { createUserIds } from './user-ids.ts'

export interface SandboxOptions {
  /** `required` refuses to go on without; `auto` goes on unprotected and warns; `off` does so at the operator's word. */
  readonly mode: 'required' | 'auto' | 'off'
  readonly log: Log
  /** False where no run needs a network: to make ready for it starts a dozen programs. */
  readonly networks?: boolean
  /** What runs reach over the network; the public internet where it is left out. */
  readonly destinations?: Destinations
  /** False on machines where unprivileged users must not make user namespaces; else that is found out. */
  readonly userNamespaces?: boolean
  /** Says nothing of what is not protected: somebody else does. */
  readonly quiet?: boolean
  /** Programs to do without, as if they were not installed. */
  readonly without?: readonly ToolName[]
}

const AS_ROOT: readonly ToolName[] = ['setpriv', 'unshare', 'mount', 'umount', 'mkdir', 'chown']

const UNLIMITED = {
  memory: 'the memory of a run is limited only for each of its processes',
  cpu: 'the CPU time of a run is not limited',
  pids: 'the processes of a run are limited only for its user, with whatever else that runs',
} as const

const isRoot = () => process.getuid?.() === 0

function lacks(
  places: CgroupPlaces | undefined,
  { way, filtered, userns, stages }: Pick<Abilities, 'way' | 'filtered' | 'userns' | 'stages'>,
  networks: Abilities['networks'],
): readonly string[] {
  return [
    ...CONTROLLERS.filter((controller) => places?.folders[controller] === undefined).map(
      (controller) => `${UNLIMITED[controller]} (no writable ${controller} cgroup)`,
    ),
    ...(filtered
      ? []
      : [
          `system calls are not filtered ${way === 'bubblewrap' ? `on ${process.arch}` : 'without bubblewrap'}`,
        ]),
    ...(stages || way === 'namespaces'
      ? []
      : ['how many files a run makes in /tmp and /dev/shm is limited only by its memory']),
    ...(userns ? [] : ['user namespaces cannot be used here: root itself makes the sandboxes of its users']),
    ...(isRoot() ? [] : ['sandboxed programs run as the user of the platform, in namespaces of their own']),
    ...(typeof networks === 'string' ? [`runs that need a network are refused: ${networks}`] : []),
  ]
}

const limitsOf = (places: CgroupPlaces | undefined, filtered: boolean): SandboxReport['limits'] => ({
  memory: places?.folders.memory ? 'run' : 'process',
  cpu: places?.folders.cpu ? 'run' : 'none',
  processes: places?.folders.pids ? 'run' : 'user',
  systemCalls: filtered,
})

/**
 * The smallest run through everything that every run goes through. It has much time: on a machine that is busy it takes long, and
 * whoever gives up on it does with less protection until the next start.
 */
const PROBE: SandboxRun = {
  argv: ['true'],
  cwd: '/tmp',
  env: { PATH: '/usr/bin:/bin' },
  binds: [],
  limits: { memoryBytes: 64 * 2 ** 20, cpus: 1, processes: 16, wallMs: MINUTE, tmpBytes: 2 ** 20 },
  network: 'none',
}

async function probe(sandbox: Sandbox): Promise<void> {
  const run = sandbox.spawn(PROBE)
  run.stdout.resume()
  run.stderr.resume()
  const { code, reason } = await run.exit
  if (code !== 0)
    throw new SandboxError('no_sandbox', `a first run in the sandbox ended with ${code ?? reason}`)
}

interface SandboxWay {
  readonly way: Abilities['way']
  readonly userns: boolean
  readonly stages: boolean
  readonly needs: readonly ToolName[]
}

const BUBBLEWRAP = { way: 'bubblewrap', needs: ['bwrap', 'sh'] } as const satisfies Partial<SandboxWay>

/** How a sandbox can be made, the better first. */
const waysOf = ({ userNamespaces = true }: SandboxOptions): readonly SandboxWay[] => [
  ...(userNamespaces
    ? [{ ...BUBBLEWRAP, userns: true, stages: true, needs: [...BUBBLEWRAP.needs, ...FOR_STAGES] }]
    : []),
  // Where nothing but bubblewrap may make user namespaces.
  ...(userNamespaces && !isRoot() ? [{ ...BUBBLEWRAP, userns: true, stages: false }] : []),
  ...(isRoot() ? [{ ...BUBBLEWRAP, userns: false, stages: true }] : []),
  ...(userNamespaces
    ? [{ way: 'namespaces', userns: true, stages: false, needs: FOR_NAMESPACES } as const]
    : []),
]

/** Why user namespaces are refused, where the machine's settings tell. */
async function refusal(): Promise<string> {
  const setting = async (name: string) =>
    (await readFile(`/proc/sys/${name}`, 'utf8').catch(() => undefined))?.trim()
  if ((await setting('kernel/apparmor_restrict_unprivileged_userns')) === '1')
    return ' (AppArmor restricts user namespaces: kernel.apparmor_restrict_unprivileged_userns is 1)'
  if ((await setting('kernel/unprivileged_userns_clone')) === '0')
    return ' (user namespaces are for root alone: kernel.unprivileged_userns_clone is 0)'
  if ((await setting('user/max_user_namespaces')) === '0')
    return ' (user namespaces are disabled: user.max_user_namespaces is 0)'
  return ''
}

/** Whether setpriv can put a filter of system calls in place, which is new in it. */
const setprivFilters = async (setpriv: string | undefined): Promise<boolean> =>
  setpriv !== undefined && (await runTool(setpriv, ['--help']).catch(() => '')).includes('--seccomp-filter')

/** Undefined where this machine cannot, and why. */
async function openIsolated(
  options: SandboxOptions,
): Promise<{ readonly sandbox: Sandbox | undefined; readonly notTaken: readonly NotTaken[] }> {
  const { log, destinations = createDestinations(), without = [] } = options
  const notTaken: NotTaken[] = []
  const none = (why: string) => {
    notTaken.push({ what: 'bubblewrap', why, lacking: [] })
    return { sandbox: undefined, notTaken }
  }
  if (process.platform !== 'linux') return none('sandboxes need Linux')
  const tools = { ...(await findTools()), ...Object.fromEntries(without.map((name) => [name, undefined])) }
  const users = isRoot()
    ? createUserIds(process.pid, await readFile('/proc/self/uid_map', 'utf8'))
    : undefined
  if (isRoot() && !users) return none('this machine has no spare users to run programs as')

  const owner = nextOwner()
  const name = ownerName(owner)
  const base = isRoot() && (await isWritable('/run')) ? '/run' : tmpdir()
  await clearStale(base)
  if (tools.umount && isRoot()) await removeStaleFolders(tools.umount)
  const places = await findCgroupPlaces(`${name}-probe`)
  if (places) await removeStaleCgroups(places)
  const seccomp = seccompFilter(process.arch)
  const view = await createSystemView(join(base, name), {
    ...{ seccomp, setup: SETUP },
    resolvConf: `nameserver ${GATEWAY}\n`,
  })
  const inherited = inheritedFiles(FD.seccomp)
  const ambient = !isRoot() && /^CapAmb:\s*0*[1-9a-f]/m.test(await readFile('/proc/self/status', 'utf8'))

  for (const { way, userns, stages, needs } of waysOf(options)) {
    const lacking = absent(tools, isRoot() ? [...needs, ...AS_ROOT] : needs)
    if (lacking.length > 0) {
      if (!notTaken.some(({ what }) => what === way))
        notTaken.push({ what: way, why: `not installed: ${lacking.join(', ')}`, lacking })
      continue
    }
    const filtered = seccomp !== undefined && (way === 'bubblewrap' || (await setprivFilters(tools.setpriv)))
    const open = (networks: Abilities['networks']) =>
      new BwrapSandbox({
        ...{ name, tools, view, filtered, places, users, inherited, ambient, way, userns, stages, networks },
        report: {
          ...{ way, notTaken, limits: limitsOf(places, filtered) },
          network: typeof networks === 'string' ? 'refused' : networks.kind,
          missing: lacks(places, { way, filtered, userns, stages }, networks),
        },
      })
    try {
      await probe(open('not yet'))
    } catch (error) {
      const why = userns && !isRoot() ? await refusal() : ''
      notTaken.push({ what: way, why: `${(error as Error).message}${why}`, lacking: [] })
      continue
    }
    if (options.networks === false)
      return { sandbox: open('this sandbox was opened for runs without one'), notTaken }
    const found = await openNetworks({ owner, tools, destinations, isRoot: isRoot(), log })
    notTaken.push(...found.notTaken)
    return { sandbox: open(found.networks), notTaken }
  }
  await view.remove()
  return { sandbox: undefined, notTaken }
}

/** The sandbox that this machine and its operator allow; what it does not protect is told loudly. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { mode, quiet = false } = options
  const log = quiet ? { warn: () => {} } : options.log
  if (mode === 'off') {
    const sandbox = createUnsandboxed()
    log.warn(
      { missing: sandbox.missing },
      'builds and functions run without a sandbox, as the operator set it',
    )
    return sandbox
  }
  const { sandbox, notTaken } = await openIsolated(options)
  if (sandbox) {
    if (sandbox.missing.length > 0)
      log.warn({ missing: sandbox.missing }, 'the sandbox of builds and functions is not complete')
    return sandbox
  }
  const why = notTaken.map((each) => `${each.what}: ${each.why}`).join('; ')
  if (mode === 'required')
    throw new SandboxError('no_sandbox', `A sandbox is required and this machine has none: ${why}`)
  const unprotected = createUnsandboxed(notTaken)
  log.warn(
    { why, missing: unprotected.missing },
    'BUILDS AND FUNCTIONS RUN WITHOUT A SANDBOX: code of users can read the platform’s files and secrets and reach its networks',
  )
  return unprotected
}
