import { type SandboxBind, SandboxError, type SandboxLimits } from '#core/ports/sandbox.ts'
import type { ToolName, Tools } from '../tools.ts'
import type { ViewEntry } from './system-view.ts'

// The scripts are constant and take everything as positional parameters; each ends by becoming the next program.

/** $1 cgroups, then a file to join each by, then the next program. */
const JOIN = `set -eu
ulimit -c 0
n=$1; shift
while [ "$n" -gt 0 ]; do echo 0 > "$1"; shift; n=$((n - 1)); done
exec "$@"`

/**
 * $1 the staging folder, $2 the sandbox's user, $3 what is mounted there, $4 names of folders in memory, $5 binds, then two of
 * each bind (its path, "w" or "r"), then the next program. The binds lie where only root may go: here they come within reach of
 * the sandbox's user, in this mount namespace alone. Bubblewrap can be told how many bytes a folder in memory may hold, but not
 * how many files, which take a page of the machine's memory even if they are empty. To start a program takes longer than
 * all that it does here, so each of them does everything of its kind.
 */
const STAGE = `set -eu
stage=$1; user=$2; table=$3; folders=$4; n=$5; shift 5
mount -n -t tmpfs -o mode=755,size=1m tmpfs "$stage"
cd "$stage"
writable=
i=0
while [ "$i" -lt "$n" ]; do
  if [ -d "$1" ]; then folders="$folders $i"; else : > "$i"; fi
  if [ "$2" = w ]; then writable="$writable $i"; fi
  shift 2; i=$((i + 1))
done
if [ -n "$folders" ]; then mkdir $folders; fi
if [ -n "$table" ]; then
  printf %s "$table" > table
  mount -n -a -T "$stage/table"
fi
if [ -n "$writable" ]; then chown -hR "$user:$user" -- $writable; fi
cd /
unset OLDPWD
exec "$@"`

/** As a file of mounts has it, in which a blank ends a field: every byte that is not plain, by its number. */
const field = (path: string): string =>
  Array.from(Buffer.from(path), (byte) => {
    const letter = String.fromCharCode(byte)
    return /[\w/.-]/.test(letter) ? letter : `\\${byte.toString(8).padStart(3, '0')}`
  }).join('')

export const need = (tools: Tools, name: ToolName): string => {
  const file = tools[name]
  if (file === undefined) throw new SandboxError('no_sandbox', `${name} is not installed`)
  return file
}

type Memory = Extract<ViewEntry, { is: 'memory' }>
const isMemory = (entry: ViewEntry): entry is Memory => entry.is === 'memory'

/** The same with folders in memory that are made before bubblewrap is started. */
export function stagedMemory(entries: readonly ViewEntry[], stage: string): readonly ViewEntry[] {
  let i = 0
  return entries.map((entry) =>
    isMemory(entry) ? { is: 'bind', host: `${stage}/m${i++}`, inside: entry.inside, writable: true } : entry,
  )
}

/** What stages folders in memory, for who is not root: as root of a user namespace of its own. */
export const FOR_STAGES: readonly ToolName[] = ['mkdir', 'mount', 'unshare']

interface Start {
  readonly tools: Tools
  readonly joinFiles: readonly string[]
  /** See `Network`. */
  readonly enter: readonly string[] | undefined
  /** The sandbox's user outside; undefined where the platform is not root and runs it as itself. */
  readonly uid: number | undefined
  readonly stage: string
  readonly binds: readonly SandboxBind[]
  /** What the run sees of its own, where folders in memory are to be made before; else none. */
  readonly staged: readonly ViewEntry[] | undefined
  /** Whether the platform, as an ordinary user, has capabilities that its children inherit; bubblewrap refuses those. */
  readonly ambient: boolean
  /** Per process, in place of cgroups. */
  readonly rlimits: readonly string[]
  /** Whether the sandbox's user may make user namespaces; else root makes the sandbox. */
  readonly userns: boolean
  /** What makes the sandbox, with its arguments. */
  readonly maker: readonly string[]
  /** What comes after those. */
  readonly argv: readonly string[]
}

/** Where the binds of a run lie for bubblewrap. */
export const stagedBinds = ({ uid, stage, binds }: Pick<Start, 'uid' | 'stage' | 'binds'>) =>
  uid === undefined ? binds : binds.map((bind, i) => ({ ...bind, host: `${stage}/${i}` }))

/** For all runs and the platform together, where they are one user: its threads alone are more than a run may have. */
const SHARED_PROCESSES = 4096

/** The program and some threads of its own, as bundlers have them: each sets memory aside for its machine code. */
const ISOLATES = 4

/**
 * What Node.js sets aside for machine code, by /proc/self/maps of one. On x86-64 that is half a gigabyte for each thread
 * with JavaScript which may be written, and so counts as data, though hardly any of it is ever used.
 */
export function codeRangeBytes(maps: string): number {
  const ranges = Array.from(
    maps.matchAll(/^(\w+)-(\w+) rwxp/gm),
    ([, from = '', to = '']) => Number(`0x${to}`) - Number(`0x${from}`),
  )
  return ISOLATES * Math.max(0, ...ranges)
}

/**
 * The limits of /proc/self/limits by name; a hard limit is never raised, which even root may be refused. `isOwnUser`
 * where runs are of the platform's own user; `reservedBytes` of memory are allowed to each process besides its own.
 */
export function rlimitArgs(
  limits: SandboxLimits,
  procLimits: string,
  { isOwnUser, reservedBytes }: { readonly isOwnUser: boolean; readonly reservedBytes: number },
): readonly string[] {
  const hard = (name: string) => {
    const text = new RegExp(`^${name}\\s+\\S+\\s+(\\S+)`, 'm').exec(procLimits)?.[1]
    return text === undefined || text === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(text)
  }
  const data = Math.min(limits.memoryBytes + reservedBytes, hard('Max data size'))
  const processes = Math.min(isOwnUser ? SHARED_PROCESSES : limits.processes, hard('Max processes'))
  return [`--data=${data}:${data}`, `--nproc=${processes}:${processes}`]
}

/** Held by the kernel, where looking at the disk from time to time comes too late. */
export const fileLimitArgs = ({ fileBytes }: SandboxLimits): readonly string[] =>
  fileBytes === undefined ? [] : [`--fsize=${fileBytes}:${fileBytes}`]

export function startArgv(start: Start): readonly string[] {
  const { tools, joinFiles, enter, uid, stage, ambient, rlimits, userns, maker, argv, staged } = start
  const binds = uid === undefined ? [] : start.binds
  const memory = staged?.filter(isMemory) ?? []
  const table = [
    ...memory.map(
      ({ bytes, mode }, i) =>
        `memory ${field(`${stage}/m${i}`)} tmpfs size=${bytes},nr_inodes=${Math.floor(bytes / 4096) + 16},mode=${mode},nosuid,nodev`,
    ),
    ...binds.map(({ host }, i) => `${field(host)} ${field(`${stage}/${i}`)} none bind`),
  ]
  const user = String(uid)
  const sh = need(tools, 'sh')
  const become =
    uid === undefined
      ? []
      : [
          ...[need(tools, 'setpriv'), '--reuid', user, '--regid', user, '--clear-groups'],
          ...['--inh-caps=-all', '--bounding-set=-all', '--no-new-privs', '--'],
        ]
  return [
    ...[sh, '-c', JOIN, 'sh', String(joinFiles.length), ...joinFiles],
    ...(ambient ? [need(tools, 'setpriv'), '--ambient-caps=-all', '--inh-caps=-all', '--'] : []),
    ...(enter === undefined ? [] : [need(tools, 'nsenter'), ...enter, '--']),
    ...(uid === undefined && staged === undefined
      ? []
      : [
          ...[need(tools, 'unshare'), ...(uid === undefined ? ['--user', '--map-root-user'] : [])],
          ...['--mount', '--propagation', 'slave', '--'],
          ...[sh, '-c', STAGE, 'sh', stage, user, table.map((line) => `${line} 0 0\n`).join('')],
          ...[memory.map((_, i) => `m${i}`).join(' '), String(binds.length)],
          ...binds.flatMap(({ host, writable }) => [host, writable ? 'w' : 'r']),
        ]),
    ...(rlimits.length > 0 ? [need(tools, 'prlimit'), ...rlimits, '--'] : []),
    ...(userns ? become : []),
    ...maker,
    ...(userns ? [] : become),
    ...argv,
  ]
}
