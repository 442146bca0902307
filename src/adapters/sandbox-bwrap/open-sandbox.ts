import { readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDestinations, type Destinations, GATEWAY } from '#core/outbound/destinations.ts'
import type { Log } from '#core/ports/log.ts'
import {
  type NotTaken,
  type Sandbox,
  SandboxError,
  type SandboxReport,
  type SandboxRun,
} from '#core/ports/sandbox.ts'
import { removeStaleFolders } from './bounded-folder.ts'
import { FD } from './bwrap-args.ts'
import { type Abilities, BwrapSandbox } from './bwrap-sandbox.ts'
import { removeStaleCgroups } from './cgroup.ts'
import { type CgroupPlaces, CONTROLLERS, findCgroupPlaces } from './cgroup-places.ts'
import { inheritedFiles } from './inherited-files.ts'
import { openNetworks } from './open-networks.ts'
import { isStale, nextOwner, ownerName } from './owner-name.ts'
import { seccompFilter } from './seccomp.ts'
import { createSystemView } from './system-view.ts'
import { absent, findTools, type ToolName } from './tools.ts'
import { createUnsandboxed } from './unsandboxed.ts'
import { createUserIds } from './user-ids.ts'

export interface SandboxOptions {
  /** `required` refuses to go on without; `auto` goes on unprotected and warns; `off` does so at the operator's word. */
  readonly mode: 'required' | 'auto' | 'off'
  readonly log: Log
  /** What runs reach over the network; the public internet where it is left out. */
  readonly destinations?: Destinations
  /** False on machines where unprivileged users must not make user namespaces; else that is found out. */
  readonly userNamespaces?: boolean
  /** Programs to do without, as if they were not installed. */
  readonly without?: readonly ToolName[]
}

const ALWAYS: readonly ToolName[] = ['bwrap', 'sh']
const AS_ROOT: readonly ToolName[] = ['setpriv', 'unshare', 'mount', 'umount', 'mkdir', 'chown']

const UNLIMITED = {
  memory: 'the memory of a run is limited only for each of its processes',
  cpu: 'the CPU time of a run is not limited',
  pids: 'the processes of a run are limited only for its user, with whatever else that runs',
} as const

const isRoot = () => process.getuid?.() === 0

function lacks(
  places: CgroupPlaces | undefined,
  { filtered, userns }: { filtered: boolean; userns: boolean },
  networks: Abilities['networks'],
): readonly string[] {
  return [
    ...CONTROLLERS.filter((controller) => places?.folders[controller] === undefined).map(
      (controller) => `${UNLIMITED[controller]} (no writable ${controller} cgroup)`,
    ),
    ...(filtered ? [] : [`system calls are not filtered on ${process.arch}`]),
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

/** The smallest run through everything that every run goes through. */
const PROBE: SandboxRun = {
  argv: ['true'],
  cwd: '/tmp',
  env: { PATH: '/usr/bin:/bin' },
  binds: [],
  limits: { memoryBytes: 64 * 2 ** 20, cpus: 1, processes: 16, wallMs: 10_000, tmpBytes: 2 ** 20 },
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

/** Throws where this machine cannot. */
async function openBwrap(options: SandboxOptions): Promise<Sandbox> {
  const { log, userNamespaces = true, destinations = createDestinations(), without = [] } = options
  if (process.platform !== 'linux') throw new SandboxError('no_sandbox', 'sandboxes need Linux')
  const tools = { ...(await findTools()), ...Object.fromEntries(without.map((name) => [name, undefined])) }
  const lacking = absent(tools, isRoot() ? [...ALWAYS, ...AS_ROOT] : ALWAYS)
  if (lacking.length > 0) throw new SandboxError('no_sandbox', `not installed: ${lacking.join(', ')}`)
  const users = isRoot()
    ? createUserIds(process.pid, await readFile('/proc/self/uid_map', 'utf8'))
    : undefined
  if (isRoot() && !users)
    throw new SandboxError('no_sandbox', 'this machine has no spare users to run programs as')

  const owner = nextOwner()
  const name = ownerName(owner)
  const base = isRoot() ? '/run' : tmpdir()
  for (const entry of await readdir(base))
    if (isStale(entry)) await rm(join(base, entry), { recursive: true, force: true })
  if (tools.umount && isRoot()) await removeStaleFolders(tools.umount)
  const places = await findCgroupPlaces(`${name}-probe`)
  if (places) await removeStaleCgroups(places)
  const seccomp = seccompFilter(process.arch)
  const view = await createSystemView(join(base, name), seccomp, `nameserver ${GATEWAY}\n`)
  const filtered = seccomp !== undefined
  const inherited = inheritedFiles(FD.seccomp)
  const has = { name, tools, view, filtered, places, users, inherited }

  const open = (userns: boolean, networks: Abilities['networks'], notTaken: readonly NotTaken[]) =>
    new BwrapSandbox({
      ...{ ...has, userns, networks },
      report: {
        way: 'bubblewrap',
        network: typeof networks === 'string' ? 'refused' : networks.kind,
        limits: limitsOf(places, filtered),
        missing: lacks(places, { filtered, userns }, networks),
        notTaken,
      },
    } satisfies Abilities)
  try {
    const userns = await firstThatRuns(isRoot() ? [userNamespaces, false] : [true], (candidate) =>
      probe(open(candidate, 'not yet', [])),
    )
    const { networks, notTaken } = await openNetworks({ owner, tools, destinations, isRoot: isRoot(), log })
    return open(userns, networks, notTaken)
  } catch (error) {
    await view.remove()
    throw error
  }
}

/** The error is that of the first, which says what the machine should allow. */
async function firstThatRuns<T>(candidates: readonly T[], run: (candidate: T) => Promise<void>): Promise<T> {
  const errors: unknown[] = []
  for (const candidate of candidates)
    try {
      await run(candidate)
      return candidate
    } catch (error) {
      errors.push(error)
    }
  throw errors[0]
}

/** The sandbox that this machine and its operator allow; what it does not protect is told loudly. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { mode, log } = options
  if (mode === 'off') {
    const sandbox = createUnsandboxed()
    log.warn(
      { missing: sandbox.missing },
      'builds and functions run without a sandbox, as the operator set it',
    )
    return sandbox
  }
  try {
    const sandbox = await openBwrap(options)
    if (sandbox.missing.length > 0)
      log.warn({ missing: sandbox.missing }, 'the sandbox of builds and functions is not complete')
    return sandbox
  } catch (error) {
    const why = (error as Error).message
    if (mode === 'required')
      throw new SandboxError('no_sandbox', `A sandbox is required and this machine has none: ${why}`, {
        cause: error,
      })
    const sandbox = createUnsandboxed()
    log.warn(
      { why, missing: sandbox.missing },
      'BUILDS AND FUNCTIONS RUN WITHOUT A SANDBOX: code of users can read the platform’s files and secrets and reach its networks',
    )
    return sandbox
  }
}
