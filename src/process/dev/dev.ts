import { mkdir, mkdtemp } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { basename, join } from 'node:path'
import { createMemoryBus } from '#adapters/memory/memory-bus.ts'
import { createRunnerClient } from '#adapters/runner-process/client/runner-client.ts'
import { createRunnerHost } from '#adapters/runner-process/host/runner-host.ts'
import { createUnsandboxed } from '#adapters/sandbox-bwrap/unsandboxed.ts'
import type { Collection } from '#builder/output/collect.ts'
import { withoutBrackets } from '#contract/address-in-url.ts'
import type { DevEvent, DevFailure, DevOptions } from '#contract/dev.ts'
import type { LoadProgram } from '#core/instance/instance.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import type { Clock } from '#core/ports/clock.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { createEdge } from '#edge/edge.ts'
import { devDeployment, devSystemEnv } from './dev-deployment.ts'
import { createDevLog } from './dev-log.ts'
import type { DevPlan } from './dev-plan.ts'
import { DevProject, type ProjectSnapshot } from './dev-project.ts'
import { createDevRunner } from './dev-runner.ts'
import { type DevServer, startDevServer } from './dev-server.ts'
import { type EnvFiles, readEnvFiles } from './env-files.ts'
import { answerFault, createFaultPages } from './fault-pages.ts'
import { findBun } from './find-bun.ts'
import { type CollectFiles, FolderContents } from './folder-contents.ts'
import { listenAt, PortTaken } from './listen.ts'
import { isLocalOrigin, namesThisServer } from './local-name.ts'
import { OwnChanges } from './own-changes.ts'
import { packInWorkspace, placeOf } from './pack-in-workspace.ts'
import { openProgramContents } from './program-contents.ts'
import { programText } from './program-text.ts'
import { Programs } from './programs.ts'
import { watchFolder } from './watch-folder.ts'

interface DevParts {
  /** Finds the files that a deployment of a folder would consist of. */
  readonly collect: CollectFiles
  readonly tell: (event: DevEvent) => void
}

export interface Dev {
  /** Ends everything that was started; resolves when nothing is left. */
  stop(): Promise<void>
}

export class DevError extends Error {
  override readonly name = 'DevError'
  readonly code: DevFailure
  readonly hint: string | undefined

  constructor(code: DevFailure, message: string, hint?: string) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

type PlannedCommand = NonNullable<DevPlan['command']>

const BUDGET_BYTES = 128 * 2 ** 20
const KEEP_ALIVE_MS = 5000
const DRAIN_MS = 300

/** Serves a folder on this machine with the parts that serve deployments. Rejects with a `DevError`. */
export async function startDev(options: DevOptions, { collect, tell }: DevParts): Promise<Dev> {
  const began = performance.now()
  const { folder, work } = options
  const clock: Clock = systemClock
  const log = createDevLog(tell)
  const stopped = new AbortController()
  const { signal } = stopped
  const run = join(work, 'r')
  await mkdir(run, { recursive: true, mode: 0o700 })

  let envFiles: EnvFiles = await readEnvFiles(folder)
  let port = options.port
  let programEnv: DevPlan['programEnv'] = {}
  const ownEnv = () => ({ ...envFiles.variables, ...options.env })
  const deployment = () => devDeployment(basename(folder), `localhost:${port}`, Object.keys(ownEnv()))

  const place = placeOf(folder, options.workspace)
  const contents = new FolderContents()
  const packed = await openProgramContents(join(work, 'contents'))
  const blobs: Pick<BlobStore, 'read' | 'open'> = {
    read: async (name) => (await contents.read(name)) ?? packed.read(name),
    open: async (name, range) => (await contents.open(name, range)) ?? packed.open(name, range),
  }
  const collection: Collection = {
    workspace: {
      task: { signal },
      env: {},
      // It is the person's own code, on the person's own machine: it is packed by this very process.
      async run({ argv }) {
        await packInWorkspace(place, argv.at(-1) as string)
        return { code: 0, reason: 'exited' }
      },
      note: async (_log, text) => tell({ type: 'note', text }),
      folder: (name) => mkdtemp(join(work, `${name}-`)),
    },
    node: { folder: '', node: '/opt/node/bin/node', version: process.version },
    blobs: packed,
    log: {
      stdout: async () => {},
      stderr: async () => {},
      command: async () => {},
    } as unknown as Collection['log'],
  }

  const programs: Programs = new Programs({
    ...{ collection, contents: packed, place },
    onBuilt: ({ file }, ms) => tell({ type: 'built', file, ms: Math.round(ms) }),
    onFailed: ({ file }, { message }) => tell({ type: 'fault', about: file, text: message }),
    onOld: ({ deploymentId }) => host.forget(deploymentId),
  })
  const loadProgram: LoadProgram = async ({ deploymentId }) => {
    const version = programs.find(deploymentId)
    if (version === undefined) return undefined
    const { program, source } = version
    const { scale, ownerId, projectId } = deployment()
    const env = { ...devSystemEnv(deployment()), ...programEnv, ...ownEnv() }
    return { ...{ program, deploymentId, ownerId, projectId, env, scale }, paths: source.paths }
  }
  const sandbox = createUnsandboxed()
  const host = await createRunnerHost({
    ...{ sandbox, folder: work, socket: join(run, 's'), runFolder: join(run, 'i'), blobs: packed, clock },
    loadProgram,
    ensureNode: async () => ({ folder: join(process.execPath, '../..'), node: process.execPath }),
    ensureBun: findBun,
    instances: NO_STORE,
    log: {
      write({ entrypoint, text: written }) {
        const text = programText(written)
        if (text !== undefined) tell({ type: 'log', from: entrypoint, text })
      },
    },
    // The next request may find the cause gone.
    onCrashLoop: ({ deploymentId }) => void setImmediate(() => host.scale(deploymentId, deployment().scale)),
    logger: log,
    worker: 'dev',
    limits: { warm: 0 },
  })
  const runner = createRunnerClient({ socket: join(run, 's'), logger: log })
  const faults = createFaultPages(run)
  let devServer: DevServer | undefined
  let devServers = 0
  const ownChanges = new OwnChanges()
  const startCommand = (command: PlannedCommand): Promise<DevServer> =>
    startDevServer({
      command,
      folder: join(folder, command.folder),
      env: { ...(options.colors ? { FORCE_COLOR: '1' } : {}), ...ownEnv() },
      socket: join(run, `d${devServers++}`),
      onLine: (text) => tell({ type: 'log', from: command.shown, text }),
      onGroup: (pid) => tell({ type: 'group', pid }),
      onEnd: (how) => tell({ type: 'failed', code: 'command_failed', text: `\`${command.shown}\` ${how}.` }),
    })
  /** A program keeps the variables that it was started with, whatever it reads from files afterwards. */
  function restartCommand(before: DevServer, command: PlannedCommand): void {
    const { shown } = before
    tell({ type: 'note', text: `The variables of .env files have changed: restarting \`${shown}\`.` })
    const next = before.stop().then(() => startCommand(command))
    const ready = next.then((server) => server.ready)
    const restarted: DevServer = {
      ...{ shown, ready },
      lease: async () => (await next).lease(),
      stop: async () => (await next).stop(),
    }
    devServer = restarted
    ownChanges.starts(ready)
    // One that was started once more is meant to end.
    ready.catch((error: Error) => {
      if (devServer === restarted) tell({ type: 'fault', text: `\`${shown}\` ${error.message}.` })
    })
  }

  const project = new DevProject({
    ...{ folder, collect, contents, collection, deployment },
    directoryListing: options.directoryListing,
    watch: (onChange) => watchFolder(folder, onChange),
    onSnapshot: (look) => looked(look),
    onQuiet: () =>
      void project
        .fresh()
        .then(() => programs.refresh())
        .catch(failed),
  })
  const edge = createEdge({
    sites: { find: async (name) => project.siteAt(name) },
    ...{ blobs, clock, log, budgetBytes: BUDGET_BYTES, keepAliveMs: KEEP_ALIVE_MS },
    bus: createMemoryBus({ log }),
    visits: {
      record: ({ method, path, status, ms }) => tell({ type: 'request', method, path, status, ms }),
    },
    origin: 'dev1',
    proxy: { allows: () => true },
    runner: createDevRunner({ programs, runner, faults, devServer: () => devServer }),
  })

  let lastFailure: string | undefined
  let lastNotes = ''
  let plan: DevPlan | undefined
  async function looked(look: ProjectSnapshot): Promise<void> {
    if (look.failure !== undefined && look.failure !== lastFailure)
      tell({ type: 'fault', text: look.failure })
    lastFailure = look.failure
    const env = await readEnvFiles(folder)
    const hasOtherFiles = JSON.stringify(env.variables) !== JSON.stringify(envFiles.variables)
    const isOther =
      hasOtherFiles ||
      (look.plan !== undefined && JSON.stringify(look.plan.programEnv) !== JSON.stringify(programEnv))
    envFiles = env
    if (hasOtherFiles && devServer && plan?.command) {
      if (ownChanges.isOwn()) tell({ type: 'note', text: ownChangeText(devServer.shown) })
      else restartCommand(devServer, plan.command)
    }
    if (look.plan === undefined) return
    plan = look.plan
    programEnv = plan.programEnv
    programs.update(plan.sources, look.changes)
    if (isOther) programs.restart()
    edge.invalidate('*')
    const notes = [...plan.notes, ...env.problems]
    if (notes.join('\n') !== lastNotes) for (const text of notes) tell({ type: 'note', text })
    lastNotes = notes.join('\n')
  }
  const failed = (error: Error) => log.error({ err: error }, 'the folder could not be read')

  const isLocal = namesThisServer(options.host)
  const mayOpenSocket = isLocalOrigin(options.host)
  /** What is not done for a request, if it should get nothing here. */
  function refusalOf(req: IncomingMessage): string | undefined {
    const { upgrade, origin, host } = req.headers
    const name = hostOf(req)
    if (!isLocal(name)) return `answer to the host name ${JSON.stringify(name)}`
    if (upgrade === undefined || mayOpenSocket(origin, host)) return undefined
    return `open sockets for pages of ${origin}`
  }
  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const refusal = refusalOf(req)
    if (refusal !== undefined) return refuse(res, refusal)
    const name = hostOf(req)
    // The edge knows sites by names.
    if (isIP(name) === 6) req.headers.host = `localhost:${port}`
    await project.fresh()
    if (project.failure === undefined) return edge.handle(req, res)
    answerFault(req, res, { title: 'This folder cannot be served', text: project.failure })
  }
  const servers = new Set<ReturnType<typeof createServer>>()
  const makeServer = () => {
    const shouldUpgradeCallback = (req: IncomingMessage) =>
      refusalOf(req) === undefined && edge.upgrade.accepts(req)
    const server = createServer({ shouldUpgradeCallback }, (req, res) => {
      handle(req, res).catch((error: Error) => {
        failed(error)
        if (!res.headersSent) answerFault(req, res, { title: 'Something went wrong', text: error.message })
      })
    })
    server.on('upgrade', (req, socket, head) => edge.upgrade.handle(req, socket, head))
    servers.add(server)
    return server
  }

  async function stop(): Promise<void> {
    stopped.abort()
    project.close()
    for (const server of servers) {
      server.close()
      server.closeAllConnections()
    }
    runner.close()
    faults.close()
    await Promise.all([devServer?.stop(), host.drain(DRAIN_MS)])
    await sandbox.close()
    await edge.close()
  }

  try {
    const listening = await listenAt(makeServer, options).catch((error: Error) => {
      throw listenError(error, options)
    })
    port = listening.port
    if (options.port !== 0 && port !== options.port)
      tell({ type: 'note', text: `Port ${options.port} is in use; using ${port} instead.` })
    await project.fresh()
    const command = (plan as DevPlan | undefined)?.command
    if (command) {
      devServer = await startCommand(command)
      ownChanges.starts(devServer.ready)
      // It is started again where the command itself writes .env files.
      for (let waited: DevServer | undefined; waited !== devServer; ) {
        waited = devServer
        await waited.ready.catch((error: Error) => {
          if (waited === devServer)
            throw new DevError('command_failed', `\`${command.shown}\` ${error.message}.`)
        })
      }
    }
    const { framework, sources = [] } = plan ?? ({} as Partial<DevPlan>)
    tell({
      type: 'ready',
      ...{ url: listening.url, others: listening.others, port, ms: Math.round(performance.now() - began) },
      ...(framework === undefined ? {} : { framework }),
      ...(command === undefined ? {} : { command: command.shown }),
      ...{ functions: sources.length, envFiles: envFiles.found },
    })
    return { stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const ownChangeText = (shown: string): string =>
  `\`${shown}\` seems to write .env files whenever it starts, and is not restarted for that. If you have changed them yourself, stop it with Ctrl-C and start it again.`

const NO_STORE = {
  add: async () => {},
  remove: async () => {},
  clear: async () => {},
  ofDeployment: async () => [],
  ofOwner: async () => ({ count: 0, memoryMb: 0 }),
  counts: async () => new Map<string, number>(),
}

const hostOf = ({ headers }: IncomingMessage): string =>
  withoutBrackets((headers.host ?? '').replace(/:\d*$/, '')).toLowerCase()

function refuse(res: ServerResponse, what: string): void {
  res.writeHead(403, { 'content-type': 'text/plain; charset=utf-8' })
  res.end(
    `This development server does not ${what}.\n` +
      'Start it with --host 0.0.0.0 to allow any host name, and pages of any site.\n',
  )
}

function listenError(error: NodeJS.ErrnoException, { host, port }: DevOptions): DevError {
  if (error instanceof PortTaken)
    return new DevError(
      'port_taken',
      error.message,
      'Choose another one with --port, or omit it to use a free one.',
    )
  if (error.code === 'EACCES')
    return new DevError(
      'failed',
      `You are not allowed to use port ${port}.`,
      'Choose one above 1023 with --port.',
    )
  return new DevError(
    'failed',
    `Cannot listen on ${host}: ${error.message}.`,
    'Pass an address of this machine with --host, or omit it for localhost.',
  )
}
