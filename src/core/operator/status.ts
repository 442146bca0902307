import type { JobStore } from '../job/job-queue.ts'
import type { LateJob } from '../job/late-jobs.ts'
import type { SandboxAdvice } from './sandbox-advice.ts'

/** Whether something is as it should be, and what to do when it is not. */
export interface Check {
  readonly name: string
  readonly ok: boolean
  readonly message: string
  readonly hint?: string
  /** It works, and yet somebody should know. */
  readonly warning?: true
}

export interface ProcessFacts {
  readonly name: string
  readonly role: 'supervisor' | 'serve' | 'work'
  readonly pid: number
  readonly startedAt: number
  /** How often it died and was started again. */
  readonly restarts: number
  /** How often of these it did not react any more and was killed. */
  readonly hangs: number
  /** Bytes in use; null where this machine does not tell. */
  readonly memory: number | null
}

export interface SandboxFacts {
  /** What isolates; null while nobody has said. */
  readonly kind: string | null
  readonly missing: readonly string[]
  /** What is in force, by name; empty while nobody has said. */
  readonly inForce: readonly (readonly [string, string])[]
  /** What the operator could do about a sandbox that is not there, or has no network. */
  readonly advice: SandboxAdvice | null
}

/** How an installation is set up, and what it uses. */
export interface Status {
  readonly version: string
  readonly node: string
  readonly time: number
  readonly startedAt: number
  readonly origin: string
  readonly baseUrl: string
  readonly domain: string
  readonly addresses: readonly string[]
  readonly nameservers: readonly string[]
  readonly ports: { readonly http: number; readonly tls: number; readonly dns: number }
  readonly database: {
    readonly kind: 'sqlite' | 'postgresql'
    readonly bytes: number
    readonly schema: string
  }
  readonly blobs: {
    readonly bytes: number
    /** Contents that were found damaged and not uploaded again since. */
    readonly damaged: number
    /** Contents that are still where they were kept before. */
    readonly toMove: number
  }
  readonly logs: {
    readonly bytes: number
    /** Not while the disk is nearly full. */
    readonly recording: boolean
    /** Names of files in the data folder that were damaged and set aside; the log's own when it is damaged now. */
    readonly damaged: readonly string[]
  }
  readonly disk: { readonly free: number; readonly total: number }
  readonly memory: { readonly free: number; readonly total: number }
  readonly processes: readonly ProcessFacts[]
  readonly certificates: { readonly authority: 'local' | 'acme'; readonly expiring: number }
  readonly mail: 'smtp' | 'outbox'
  readonly runtime: 'process' | 'docker' | 'swarm'
  readonly sandbox: SandboxFacts & { readonly mode: 'required' | 'auto' | 'off' }
  /** The programs that repositories are read with: the version of git, null where it is missing. */
  readonly programs: { readonly git: string | null; readonly ssh: boolean }
  /** Where git is served over SSH, where it is. */
  readonly sshServer?: { readonly port: number; readonly hostKeyFingerprint: string }
  /** What somebody else on the network could read of the database or of Redis, or pretend to be. */
  readonly exposed: readonly string[]
  readonly queue: Awaited<ReturnType<JobStore['counts']>>
  /** Jobs that do not come round when they should. */
  readonly lateJobs: readonly LateJob[]
}

const GIB = 2 ** 30
/** A process that keeps dying has more of them than a bad day explains. */
const MANY_RESTARTS = 3

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)

const gib = (bytes: number): string => `${(bytes / GIB).toFixed(1)} GiB`

const isLocal = ({ domain }: Status): boolean => domain === 'localhost' || domain.endsWith('.localhost')

function disk({ disk: { free, total } }: Status): Check {
  const ok = free > GIB && free > total / 20
  return {
    name: 'disk',
    ok,
    message: `${gib(free)} of ${gib(total)} are free`,
    ...(ok ? {} : { hint: 'Remove old deployments, or give the data folder a larger disk.' }),
  }
}

function contents({ blobs: { bytes, damaged } }: Status): Check {
  const name = 'contents'
  if (damaged === 0) return { name, ok: true, message: `${gib(bytes)} of files, none known to be damaged` }
  return {
    name,
    ok: false,
    message: `${damaged} stored ${damaged === 1 ? 'file is' : 'files are'} damaged`,
    hint: 'Deploy the same files again, which heals them, or restore a backup. The log names them ("a stored content is damaged"). Have a look at the disk.',
  }
}

function logs({ logs: { bytes, recording, damaged } }: Status): Check {
  const name = 'logs'
  if (!recording)
    return {
      name,
      ok: false,
      message: 'visits and output are not recorded: too little disk space is left',
      hint: 'Remove old deployments, or give the data folder a larger disk.',
    }
  if (damaged.length > 0)
    return {
      name,
      ok: false,
      message: `a log database was damaged: ${damaged.join(', ')}`,
      hint: damaged.includes('logs.db')
        ? 'Restart: it is set aside then, and a new one begins.'
        : 'New logs were begun. Look at the file in the data folder if you need what it holds, then delete it.',
    }
  return { name, ok: true, message: `${gib(bytes)} of visits and output` }
}

function processes({ processes: all }: Status): Check {
  const hung = all.filter(({ hangs }) => hangs > 0)
  if (hung.length > 0)
    return {
      name: 'processes',
      ok: false,
      message: hung
        .map(({ name, hangs }) => `${name} stood still ${times(hangs)} and was replaced`)
        .join(', '),
      hint: 'The log of the server says what it was doing; look for "stands still".',
    }
  const died = all.filter(({ restarts }) => restarts >= MANY_RESTARTS)
  const of = (role: string) => all.filter((one) => one.role === role).length
  return died.length > 0
    ? {
        name: 'processes',
        ok: false,
        message: died.map(({ name, restarts }) => `${name} died ${times(restarts)}`).join(', '),
        hint: 'The log of the server says why; look for "a process died".',
      }
    : { name: 'processes', ok: true, message: `${of('serve')} serving, ${of('work')} working` }
}

function sandbox({ sandbox: { mode, kind, missing, inForce, advice } }: Status): Check {
  const name = 'sandbox'
  if (mode === 'off') return { name, ok: true, message: 'off, as it is set: code of users is not isolated' }
  if (kind === null) return { name, ok: true, message: 'this machine runs no code of users' }
  if (advice)
    return {
      name,
      ok: false,
      message: `${advice.problem} ${advice.meaning}`,
      hint:
        advice.command === undefined ? (advice.hint ?? '') : `Run this, and start again: ${advice.command}`,
    }
  const words = inForce.map(([what, how]) => `${what}: ${how}`).join(', ')
  const note = missing.length > 0 ? `; not complete: ${missing.join('; ')}` : ''
  return { name, ok: true, message: `${kind} (${words})${note}` }
}

function git({ programs, sshServer }: Status): Check {
  const name = 'git'
  const lacking = { name, ok: true, warning: true as const }
  if (programs.git === null)
    return {
      ...lacking,
      message: 'git is not installed: nothing can be pushed here or deployed from a repository',
      hint: 'Install it where the server runs: sudo apt install git openssh-client',
    }
  if (!programs.ssh)
    return {
      ...lacking,
      message: `git ${programs.git}; ssh is not installed: repositories over SSH cannot be read`,
      hint: 'Install it where the server runs: sudo apt install openssh-client',
    }
  const served = sshServer
    ? `; served over SSH at port ${sshServer.port}, host key ${sshServer.hostKeyFingerprint}`
    : ''
  return { name, ok: true, message: `git ${programs.git}, with ssh${served}` }
}

function certificates({ certificates: { authority, expiring } }: Status): Check {
  const name = 'certificates'
  if (expiring === 0)
    return {
      name,
      ok: true,
      message: `none ends soon; they come from ${authority === 'acme' ? 'a public authority' : 'the local authority'}`,
    }
  return {
    name,
    ok: false,
    message: `${expiring} ${expiring === 1 ? 'certificate ends' : 'certificates end'} within 14 days`,
    hint: 'Those that renew themselves should have done so: the log says why they did not. Upload the others anew.',
  }
}

function mail(status: Status): Check {
  const name = 'mail'
  if (status.mail === 'smtp') return { name, ok: true, message: 'sent by SMTP' }
  return {
    name,
    ...(isLocal(status) ? { ok: true, warning: true as const } : { ok: false }),
    message: 'no mail server: links are printed in the server’s terminal and kept in the folder `outbox`',
    hint: 'Set ALOFT_SMTP_URL so that people can sign in and be invited by mail.',
  }
}

function jobs({ queue: { queued, running, failed } }: Status): Check {
  return {
    name: 'jobs',
    ok: failed === 0,
    message: `${queued} waiting, ${running} running, ${failed} failed`,
    ...(failed === 0 ? {} : { hint: 'See them with `aloft operator jobs failed`.' }),
  }
}

const LATE = {
  overdue: 'overdue',
  'far off': 'due far too late, as if the clock had jumped',
  missing: 'not in the queue',
} as const satisfies Record<LateJob['state'], string>

function periodicJobs({ lateJobs: late }: Status): Check {
  const name = 'periodic jobs'
  if (late.length === 0) return { name, ok: true, message: 'none is late' }
  return {
    name,
    ok: false,
    message: late.map(({ kind, state }) => `${kind} is ${LATE[state]}`).join(', '),
    hint: 'A working process sets this right within a minute. Look whether one runs (`aloft operator status`), what its log says, and whether the clocks of all machines are right.',
  }
}

function encryption(status: Status): Check {
  const ok = status.baseUrl.startsWith('https:') || isLocal(status)
  return {
    name: 'https',
    ok,
    message: `the API is at ${status.baseUrl}`,
    ...(ok
      ? {}
      : { hint: 'Set ALOFT_BASE_URL to the https address: tokens must not cross a network in the open.' }),
  }
}

function stores({ exposed, database }: Status): Check {
  const name = 'stores'
  if (exposed.length === 0)
    return {
      name,
      ok: true,
      message:
        database.kind === 'sqlite'
          ? 'the database is a file of this machine'
          : 'nobody else on the network can listen or interfere',
    }
  const [first, ...others] = exposed.map((text) => text.split(': '))
  return {
    name,
    ok: false,
    message: [first, ...others].map((parts) => parts?.[0]).join('; '),
    hint: `${[first, ...others].map((parts) => (parts?.[1] ?? '').replace(/^./, (letter) => letter.toUpperCase())).join('. ')}.`,
  }
}

/** What the installation can tell of itself. */
export const checksOf = (status: Status): readonly Check[] =>
  [
    disk,
    contents,
    logs,
    processes,
    sandbox,
    git,
    certificates,
    mail,
    jobs,
    periodicJobs,
    encryption,
    stores,
  ].map((check) => check(status))
