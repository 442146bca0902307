import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import type { SandboxOptions } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import type { Sandbox, SandboxExit, SandboxedProcess, SandboxRun } from '#core/ports/sandbox.ts'

export const sandboxMissing =
  ((process.env.ALOFT_TEST_MISSING ?? '').split(',').includes('bubblewrap') &&
    'bubblewrap is not installed') ||
  (process.platform !== 'linux' && 'sandboxes need Linux')

/** An ordinary user has a sandbox too, but not all of it. */
export const isRoot = process.getuid?.() === 0
export const rootMissing = sandboxMissing || (!isRoot && 'not root: the whole sandbox cannot be had')

interface TestedWay {
  readonly name: string
  readonly kind: Sandbox['kind']
  readonly options: Pick<SandboxOptions, 'userNamespaces' | 'without'>
}

const BY_ROOT: TestedWay = {
  name: 'bubblewrap without user namespaces',
  kind: 'bubblewrap',
  options: { userNamespaces: false },
}

/** The ways to make a sandbox that can be had here, by what is done without. */
export const WAYS: readonly TestedWay[] = [
  { name: 'bubblewrap', kind: 'bubblewrap', options: {} },
  ...(isRoot ? [BY_ROOT] : []),
  { name: 'namespaces without bubblewrap', kind: 'namespaces', options: { without: ['bwrap'] } },
]

interface TestedNetwork {
  readonly name: string
  readonly network: Sandbox['report']['network']
  readonly without: NonNullable<SandboxOptions['without']>
}

/** The networks of runs that can be had here, by what is done without. */
export const NETWORKS: readonly TestedNetwork[] = [
  ...(isRoot ? [{ name: 'fenced network', network: 'fenced', without: [] } as const] : []),
  { name: 'network through the gateway', network: 'gateway', without: ['nft'] },
  { name: 'network through the gateway, without bubblewrap,', network: 'gateway', without: ['nft', 'bwrap'] },
]

const MB = 2 ** 20

/** A run of a program, unlimited for the purposes of a test unless it says otherwise. */
export const runOf = (
  argv: readonly string[],
  { limits, ...rest }: Omit<Partial<SandboxRun>, 'limits'> & { limits?: Partial<SandboxRun['limits']> } = {},
): SandboxRun => ({
  argv,
  cwd: '/tmp',
  env: { PATH: '/usr/bin:/bin' },
  binds: [],
  network: 'none',
  ...rest,
  limits: {
    ...{ memoryBytes: 512 * MB, cpus: 2, processes: 128, wallMs: 60_000, tmpBytes: 16 * MB },
    ...limits,
  },
})

interface Finished extends SandboxExit {
  readonly stdout: string
  readonly stderr: string
}

export async function finished(process: SandboxedProcess): Promise<Finished> {
  const [stdout, stderr, exit] = await Promise.all([text(process.stdout), text(process.stderr), process.exit])
  return { ...exit, stdout, stderr }
}

export const finish = (sandbox: Sandbox, ...run: Parameters<typeof runOf>): Promise<Finished> =>
  finished(sandbox.spawn(runOf(...run)))

/** Resolves once the run has written this much of its output. */
export async function wrote(process: SandboxedProcess, sought: string): Promise<void> {
  let seen = ''
  process.stderr.resume()
  await new Promise<void>((resolve, reject) => {
    process.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.toString()
      if (seen.includes(sought)) resolve()
    })
    process.exit.then(() => reject(new Error(`ended after writing ${JSON.stringify(seen)}`)), reject)
  })
}

/** The processes of the machine that have this somewhere in their arguments, this one apart. */
export const processesWith = (argument: string): readonly number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      if (!pid || pid === process.pid) return false
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(argument)
      } catch {
        return false
      }
    })

let markers = 0
/** Seconds to sleep that nobody else sleeps, to find the sleeper by. */
export const marker = (): string => `8${process.pid}${markers++}.5`

export async function scratch(t: Pick<TestContext, 'after'>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-sandbox-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** This Node, wherever the machine keeps it. */
export const node = { host: process.execPath, inside: '/opt/node', writable: false } as const

/** Everything on the machine that carries the name of this process's sandboxes. */
export function leftBy(pid: number): readonly string[] {
  const name = new RegExp(`aloft-[0-9a-z]+-${pid}-`)
  const lines = (text: string) => text.split('\n').filter((line) => name.test(line))
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
  const cgroups = mounts
    .split('\n')
    .filter((line) => / - cgroup2? /.test(line))
    .flatMap((line) => readdirSync(line.split(' ')[4] ?? '/').map((entry) => `cgroup ${entry}`))
  const told = (file: string, ...args: readonly string[]) =>
    existsSync(file) ? lines(execFileSync(file, args, { encoding: 'utf8' })) : []
  return [
    ...lines(mounts),
    ...lines(cgroups.join('\n')),
    ...lines([...readdirSync('/run'), ...readdirSync(tmpdir())].join('\n')),
    ...told('/usr/sbin/ip', 'netns', 'list'),
    ...(isRoot ? told('/usr/sbin/nft', 'list', 'tables') : []),
  ]
}
