import { showBytes } from '#contract/amounts.ts'
import { isLocalName } from '#contract/local-name.ts'
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

function disk({ disk: { free, total } }: Status): Check {
  const ok = free > GIB && free > total / 20
  return {
    name: 'disk',
    ok,
    message: `${showBytes(free)} of ${showBytes(total)} free`,
    ...(ok ? {} : { hint: 'Remove old deployments, or move the data folder to a larger disk.' }),
  }
}

function contents({ blobs: { bytes, damaged } }: Status): Check {
  const name = 'contents'
  if (damaged === 0) return { name, ok: true, message: `${showBytes(bytes)} of files, no known damage` }
  return {
    name,
    ok: false,
    message: `${damaged} stored ${damaged === 1 ? 'file is' : 'files are'} damaged`,
    hint: 'Deploy the same files again, which repairs them, or restore a backup. The log names them ("a stored content is damaged"). Check the disk.',
  }
}

function logs({ logs: { bytes, recording, damaged } }: Status): Check {
  const name = 'logs'
  if (!recording)
    return {
      name,
      ok: false,
      message: 'requests and output are not recorded: the disk is nearly full',
      hint: 'Remove old deployments, or move the data folder to a larger disk.',
    }
  if (damaged.length > 0)
    return {
      name,
      ok: false,
      message: `a log database was damaged: ${damaged.join(', ')}`,
      hint: damaged.includes('logs.db')
        ? 'Restart the server: it sets the file aside and starts a new one.'
        : 'A new log was started. The damaged file is in the data folder: copy what you need, then delete it.',
    }
  return { name, ok: true, message: `${showBytes(bytes)} of requests and output` }
}

function processes({ processes: all }: Status): Check {
  const hung = all.filter(({ hangs }) => hangs > 0)
  if (hung.length > 0)
    return {
      name: 'processes',
      ok: false,
      message: hung.map(({ name, hangs }) => `${name} hung ${times(hangs)} and was replaced`).join(', '),
      hint: 'The server log says what it was doing: search for "stopped responding".',
    }
  const died = all.filter(({ restarts }) => restarts >= MANY_RESTARTS)
  const of = (role: string) => all.filter((one) => one.role === role).length
  return died.length > 0
    ? {
        name: 'processes',
        ok: false,
        message: died.map(({ name, restarts }) => `${name} crashed ${times(restarts)}`).join(', '),
        hint: 'The server log says why: search for "a process died".',
      }
    : { name: 'processes', ok: true, message: `${of('serve')} serving, ${of('work')} working` }
}

function sandbox({ sandbox: { mode, kind, missing, inForce, advice } }: Status): Check {
  const name = 'sandbox'
  if (mode === 'off') return { name, ok: true, message: 'off, as configured: user code is not isolated' }
  if (kind === null) return { name, ok: true, message: 'this machine runs no user code' }
  if (advice)
    return {
      name,
      ok: false,
      message: `${advice.problem} ${advice.meaning}`,
      hint:
        advice.command === undefined
          ? (advice.hint ?? '')
          : `Run this, then restart the server: ${advice.command}`,
    }
  const words = inForce.map(([what, how]) => `${what}: ${how}`).join(', ')
  const note = missing.length > 0 ? `; incomplete: ${missing.join('; ')}` : ''
  return { name, ok: true, message: `${kind} (${words})${note}` }
}

function git({ programs, sshServer }: Status): Check {
  const name = 'git'
  const lacking = { name, ok: true, warning: true as const }
  if (programs.git === null)
    return {
      ...lacking,
      message: 'git is not installed, so pushes and deployments from repositories don’t work',
      hint: 'Install it on the server: sudo apt install git openssh-client',
    }
  if (!programs.ssh)
    return {
      ...lacking,
      message: `git ${programs.git}; ssh is not installed, so repositories over SSH can’t be read`,
      hint: 'Install it on the server: sudo apt install openssh-client',
    }
  const served = sshServer
    ? `; served over SSH on port ${sshServer.port}, host key ${sshServer.hostKeyFingerprint}`
    : ''
  return { name, ok: true, message: `git ${programs.git}, with ssh${served}` }
}

function certificates({ certificates: { authority, expiring } }: Status): Check {
  const name = 'certificates'
  if (expiring === 0)
    return {
      name,
      ok: true,
      message: `none expires soon; issued by ${authority === 'acme' ? 'a public authority' : 'the local authority'}`,
    }
  return {
    name,
    ok: false,
    message: `${expiring} ${expiring === 1 ? 'certificate expires' : 'certificates expire'} within 14 days`,
    hint: 'Automatic renewal has failed: the server log says why. Certificates that you uploaded have to be uploaded again.',
  }
}

function mail(status: Status): Check {
  const name = 'mail'
  if (status.mail === 'smtp') return { name, ok: true, message: 'sent through SMTP' }
  return {
    name,
    ...(isLocalName(status.domain) ? { ok: true, warning: true as const } : { ok: false }),
    message: 'no mail server: links are printed in the server’s terminal and kept in the outbox folder',
    hint: 'Set ALOFT_SMTP_URL to send sign-in links and invitations by email.',
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
  'far off': 'scheduled far in the future, as if the clock had jumped',
  missing: 'not in the queue',
} as const satisfies Record<LateJob['state'], string>

/** How many are named: after a jump of the clock all of them are late. */
const NAMED = 3

const lateWords = (late: readonly LateJob[]): string =>
  [...Map.groupBy(late, ({ state }) => state)]
    .map(([state, jobs]) => {
      const kinds = jobs.slice(0, NAMED).map(({ kind }) => kind)
      const rest = jobs.length - kinds.length
      const names = [...kinds, ...(rest > 0 ? [`${rest} more`] : [])]
      return `${inWords(names)} ${jobs.length === 1 ? 'is' : 'are'} ${LATE[state]}`
    })
    .join('; ')

const inWords = (names: readonly string[]): string =>
  new Intl.ListFormat('en', { type: 'conjunction' }).format(names)

function periodicJobs({ lateJobs: late }: Status): Check {
  const name = 'periodic jobs'
  if (late.length === 0) return { name, ok: true, message: 'all on time' }
  return {
    name,
    ok: false,
    message: lateWords(late),
    hint: 'A worker corrects this within a minute. If not, check that one is running (`aloft operator status`) and that all clocks agree.',
  }
}

function encryption(status: Status): Check {
  const ok = status.baseUrl.startsWith('https:') || isLocalName(status.domain)
  return {
    name: 'https',
    ok,
    message: `the API is at ${status.baseUrl}`,
    ...(ok
      ? {}
      : { hint: 'Set ALOFT_BASE_URL to an https URL: tokens must not cross a network unencrypted.' }),
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
          ? 'the database is a file on this machine'
          : 'connections to the database and Redis are encrypted or local',
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
