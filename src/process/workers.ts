import { join } from 'node:path'
import { createRunnerHost } from '#adapters/runner-process/runner-host.ts'
import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import { createBuilder } from '#builder/builder.ts'
import { createBuildCli } from '#builder/plan/build-cli.ts'
import { createRegistryLookup } from '#builder/workshop/registry.ts'
import { createToolchains } from '#builder/workshop/toolchains.ts'
import { createWorkshop } from '#builder/workshop/workshop.ts'
import { DEPLOYMENTS_TOPIC, readDeploymentNews } from '#core/deployment/deployment-news.ts'
import { createCrashLoop } from '#core/instance/crash-loop.ts'
import { createLoadProgram } from '#core/instance/load-program.ts'
import { createInstanceLog } from '#core/log/instance-log.ts'
import type { Builder } from '#core/ports/builder.ts'
import type { BootProgram } from '#core/ports/runner.ts'
import { DEFAULT_BUILD_SETTINGS } from '#core/project/project.ts'
import type { Config } from '../config.ts'
import type { Parts } from './parts.ts'
import { runnerSocket } from './runner-socket.ts'
import { tellHosts } from './use-cases.ts'

/** What builds and runs the code of users on this machine. */
export interface CodeWorkers {
  readonly builder: Builder
  readonly boot: BootProgram
  /** Requests and what they left to do may take this long; then nothing of it is left. */
  drain(ms: number): Promise<void>
}

export async function openCodeWorkers(config: Config, parts: Parts, worker: string): Promise<CodeWorkers> {
  const { blobs, bus, clock, log, stores, vault, logWriter } = parts
  const sandbox = await openSandbox({ mode: config.sandbox, log })
  log.info({ sandbox: sandbox.kind, missing: sandbox.missing }, 'builds and functions are isolated by this')
  const registry = createRegistryLookup(process.env)
  const tools = join(config.dataDir, 'toolchains')
  const toolchains = createToolchains({ folder: tools, registry, log })
  const cli = createBuildCli({ folder: tools, sandbox, toolchains, registry, log })
  const workshop = createWorkshop({
    folder: join(config.dataDir, 'builds'),
    sandbox,
    blobs,
    registry,
    clock,
    log,
  })
  const crashed = createCrashLoop({
    deployments: stores.deployments,
    clock,
    onHostsChanged: tellHosts(bus),
  })
  const runner = await createRunnerHost({
    sandbox,
    folder: config.dataDir,
    socket: runnerSocket(config.dataDir),
    blobs,
    loadProgram: createLoadProgram({ deployments: stores.deployments, outputs: stores.outputs, vault }),
    ensureNode: (version) => toolchains.ensureNode(version),
    usualNode: DEFAULT_BUILD_SETTINGS.nodeVersion,
    instances: stores.instances,
    log: createInstanceLog({ writer: logWriter, clock, region: config.origin }),
    onCrashLoop: (id, reason) =>
      void crashed(id, reason).catch((err) =>
        log.error({ err, deployment: id }, 'a deployment that keeps crashing could not be marked'),
      ),
    clock,
    logger: log,
    worker,
  })
  const unsubscribe = bus.subscribe(DEPLOYMENTS_TOPIC, (text) => {
    const news = readDeploymentNews(text)
    if (news?.what === 'deleted') runner.forget(news.id)
    if (news?.what === 'scaled') void keepRunning(news.id, news.scale)
  })

  async function keepRunning(
    id: string,
    scale: { readonly min: number; readonly max: number },
  ): Promise<void> {
    const output = await stores.outputs.find(id)
    runner.scale(
      id,
      scale,
      output?.programs.map((program) => program.id),
    )
  }
  void stores.deployments
    .keptRunning()
    .then((kept) => Promise.all(kept.map(({ id, scale }) => keepRunning(id, scale))))
    .catch((err) => log.error({ err }, 'what should always run could not be started'))

  return {
    builder: createBuilder({ workshop, toolchains, cli, blobs, clock, registry }),
    boot: (program) => runner.boot(program),
    async drain(ms) {
      unsubscribe()
      await runner.drain(ms)
      await workshop.close()
      await sandbox.close()
    },
  }
}
