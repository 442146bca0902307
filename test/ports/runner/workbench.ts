import { createHash, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { pack } from 'tar-stream'
import { createRunnerClient, type RunnerClient } from '#adapters/runner-process/client/runner-client.ts'
import {
  createRunnerHost,
  type RunnerHost,
  type RunnerHostOptions,
} from '#adapters/runner-process/host/runner-host.ts'
import type { Instance, LoadedProgram } from '#core/instance/instance.ts'
import type { InstanceStore } from '#core/instance/instance-store.ts'
import type { InstanceLine } from '#core/log/write/instance-log.ts'
import type { Program } from '#core/output/output.ts'
import type { Lease, ProgramRef } from '#core/ports/runner.ts'
import type { Sandbox } from '#core/ports/sandbox.ts'
import { createTestClock, type TestClock } from '#test/support/clock.ts'
import { silentLog } from '#test/support/silent-log.ts'

export type Files = Readonly<Record<string, string>>

/** An uncompressed archive of these files. */
export async function archiveOf(files: Files): Promise<Buffer> {
  const archive = pack()
  for (const [name, content] of Object.entries(files)) archive.entry({ name, mtime: new Date(0) }, content)
  archive.finalize()
  const chunks: Uint8Array[] = []
  for await (const chunk of archive) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}

/** What a test says of a program; the rest is as usual. */
type Made = Partial<Omit<Program, 'env'>> & { readonly files: Files }

type Deployed = Made & {
  readonly env?: Readonly<Record<string, string>>
  readonly scale?: LoadedProgram['scale']
  readonly ownerId?: string
}

/** How files become the program of a deployment. */
export type MakeProgram = (made: Made, deploymentId: string) => Promise<Program>

interface Reply {
  readonly status: number | undefined
  readonly body: string
}

/** What programs run on that say nothing else. */
export const USUAL_KIND = { runtime: 'node', version: '24.x', memoryMb: 1024 } as const

/** A working process and serving processes, all within this one. */
export interface Workbench {
  readonly host: RunnerHost
  readonly client: RunnerClient
  readonly clock: TestClock
  readonly folder: string
  readonly runFolder: string
  readonly lines: InstanceLine[]
  readonly stored: Map<string, Instance>
  readonly loops: { readonly ref: ProgramRef; readonly reason: string }[]
  /** Another serving process. */
  connect(): RunnerClient
  /** A deployment of one program. */
  deploy(program: Deployed): Promise<ProgramRef>
  remove(ref: ProgramRef): void
  /** Leases, asks for the path and releases. */
  get(ref: ProgramRef, path?: string, client?: RunnerClient): Promise<Reply>
  /** Resolves with the first line that matches, past or to come. */
  logged(pattern: RegExp): Promise<InstanceLine>
  /** The working process begins anew, as after an update. */
  restart(): Promise<void>
  /** Another working process takes the place of this one, in folders of its own, while this one still stops. */
  succeed(): Promise<void>
}

export const ask = ({ socket: socketPath }: Lease, path = '/'): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const asked = request({ socketPath, path, headers: { host: 'a.test' } }, async (answer) => {
      resolve({ status: answer.statusCode, body: await text(answer) })
    })
    asked.once('error', reject)
    asked.end()
  })

/** The Node that runs this, in the layout that programs find Node in. */
const ensureNode = async () => ({ folder: dirname(dirname(process.execPath)), node: '/opt/node/bin/node' })

export async function openWorkbench(
  t: Pick<TestContext, 'after'>,
  sandbox: Sandbox,
  options: Partial<RunnerHostOptions> = {},
  make?: MakeProgram,
): Promise<Workbench> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-runner-'))
  const runFolder = join(folder, 'run')
  const clock = createTestClock()
  const blobs = new Map<string, Buffer>()
  const programs = new Map<string, LoadedProgram>()
  const lines: InstanceLine[] = []
  const waiting = new Set<(line: InstanceLine) => void>()
  const stored = new Map<string, Instance>()
  const loops: { ref: ProgramRef; reason: string }[] = []
  const instances: InstanceStore = {
    add: async (instance) => void stored.set(instance.id, instance),
    remove: async (id) => void stored.delete(id),
    clear: async () => stored.clear(),
    ofDeployment: async () => [...stored.values()],
    ofOwner: async () => ({ count: 0, memoryMb: 0 }),
    counts: async () => new Map(),
  }
  const hostOptions: RunnerHostOptions = {
    ...{ sandbox, folder, runFolder, ensureNode, instances, clock, logger: silentLog },
    socket: join(folder, 'runner.sock'),
    blobs: {
      open: async (sha256) => {
        const bytes = blobs.get(sha256)
        return bytes && Readable.from([bytes])
      },
    },
    loadProgram: async ({ deploymentId }) => programs.get(deploymentId),
    log: {
      write(line) {
        lines.push(line)
        for (const offer of waiting) offer(line)
      },
    },
    onCrashLoop: (ref, reason) => void loops.push({ ref, reason }),
    worker: 'worker',
    ...options,
    limits: { warm: 0, sweepMs: 20, ...options.limits },
  }
  await mkdir(runFolder, { mode: 0o700 })
  let host = await createRunnerHost(hostOptions)
  const clients: RunnerClient[] = []
  const connect = () => {
    const client = createRunnerClient({ socket: hostOptions.socket, logger: silentLog })
    clients.push(client)
    return client
  }
  const client = connect()
  t.after(async () => {
    for (const each of clients) each.close()
    await host.drain(0)
    await rm(folder, { recursive: true, force: true })
  })

  /** Its files are packed, and run by a process. */
  const packed: MakeProgram = async ({ files, ...program }) => {
    const archive = await archiveOf(files)
    const sha256 = createHash('sha256').update(archive).digest('hex')
    blobs.set(sha256, archive)
    return {
      ...{ id: sha256.slice(0, 20), shape: 'handler', entry: 'index.js' },
      archive: { sha1: '', sha256, size: archive.length },
      fileCount: Object.keys(files).length,
      ...{ ...USUAL_KIND, maxDuration: 10, env: {} },
      ...program,
    }
  }

  const bench: Workbench = {
    ...{ client, clock, folder, runFolder, lines, stored, loops, connect },
    get host() {
      return host
    },
    async deploy({ scale = { min: 0, max: 10 }, env = {}, ownerId = 'owner', ...made }) {
      const deploymentId = `dpl_${randomUUID()}`
      const program = await (make ?? packed)(made, deploymentId)
      programs.set(deploymentId, {
        ...{ program, deploymentId, env, scale },
        ...{ ownerId, projectId: 'prj_1', paths: ['api/index'] },
      })
      return { deploymentId, program: program.id }
    },
    remove: ({ deploymentId }) => void programs.delete(deploymentId),
    async get(ref, path, by = client) {
      const lease = await by.lease(ref)
      try {
        const reply = await ask(lease, path)
        lease.release()
        return reply
      } catch (error) {
        lease.release('broken')
        throw error
      }
    },
    logged: (pattern) =>
      new Promise((resolve) => {
        const offer = (line: InstanceLine) => {
          if (!pattern.test(line.text)) return
          waiting.delete(offer)
          resolve(line)
        }
        waiting.add(offer)
        for (const line of lines) offer(line)
      }),
    async restart() {
      await host.drain(0)
      await mkdir(runFolder, { recursive: true, mode: 0o700 })
      host = await createRunnerHost(hostOptions)
    },
    async succeed() {
      const own = join(folder, 'next')
      await mkdir(join(own, 'run'), { recursive: true, mode: 0o700 })
      host = await createRunnerHost({ ...hostOptions, folder: own, runFolder: join(own, 'run') })
    },
  }
  return bench
}
