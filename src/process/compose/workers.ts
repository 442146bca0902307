import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Docker, type DockerOptions, openDocker } from '#adapters/docker/open-docker.ts'
import { bootId } from '#adapters/fs/boot-id.ts'
import { createRunnerHost } from '#adapters/runner-process/host/runner-host.ts'
import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import { openSwarm } from '#adapters/swarm/open-swarm.ts'
import { createBuilder } from '#builder/builder.ts'
import { createDockerBuilder } from '#builder/docker/docker-builder.ts'
import { createBuildEnvironment, DEFAULT_LIMITS } from '#builder/environment/build-environment.ts'
import { createRegistryLookup } from '#builder/environment/toolchain/registry.ts'
import { createToolchains } from '#builder/environment/toolchain/toolchains.ts'
import { createBuildCli } from '#builder/framework-cli/build-cli.ts'
import { withRuntimes } from '#builder/with-runtimes.ts'
import { SECOND } from '#contract/time.ts'
import { DEPLOYMENTS_TOPIC, readDeploymentNews } from '#core/deployment/deployment-news.ts'
import { createMarkCrashed } from '#core/instance/crash-loop.ts'
import { createKeepAll, createKeepRunning } from '#core/instance/keep-running.ts'
import { createLoadProgram } from '#core/instance/load-program.ts'
import { createInstanceLog } from '#core/log/write/instance-log.ts'
import { adviseSandbox, sandboxWords } from '#core/operator/sandbox-advice.ts'
import type { SandboxFacts } from '#core/operator/status.ts'
import { createDestinations } from '#core/outbound/destinations.ts'
import { ownSites, withOwnSites } from '#core/outbound/own-sites.ts'
import type { Builder } from '#core/ports/builder.ts'
import type { BootProgram } from '#core/ports/runner.ts'
import type { Sandbox } from '#core/ports/sandbox.ts'
import type { Screenshots } from '#core/ports/screenshots.ts'
import type { DrainOptions } from '#listener/listener.ts'
import type { Config } from '../../config/config.ts'
import { readMachineFacts } from '../machine/machine-facts.ts'
import { writeAuthorities } from '../tls/authorities-file.ts'
import { createIsServed } from '../tls/is-served.ts'
import { announceHosts } from './announce.ts'
import { openPrerenders } from './content/prerenders.ts'
import { createRevalidate } from './content/revalidate.ts'
import { openScreenshots } from './content/screenshots.ts'
import { openSharedCaches } from './content/shared-caches.ts'
import { openGateway } from './machine/cluster.ts'
import { createShare } from './machine/running-share.ts'
import { sharedNetworkEnv } from './machine/shared-network-env.ts'
import { swarmParts } from './machine/swarm.ts'
import type { Parts } from './parts.ts'
import { runnerSocket, shortName } from './runner-socket.ts'
import { siteNamesOf } from './site-names.ts'

/** What could not be looked at because the database was away is looked at again. */
const AGAIN_MS = 5 * SECOND

/** What builds and runs the code of users on this machine. */
interface CodeWorkers {
  readonly builder: Builder
  readonly boot: BootProgram
  /** Absent where there is no browser, or no sandbox for it. */
  readonly screenshots: Screenshots | undefined
  /** What isolates them here. */
  readonly sandbox: SandboxFacts
  /** Whether each of them has a share of the CPU that does not depend on the priority of who starts it. */
  readonly haveOwnShares: boolean
  /** Requests and what they left to do may take this long; then nothing of it is left. */
  drain(ms: number, options?: DrainOptions): Promise<void>
}

interface WorkerPlace {
  /** The name of the machine, and of the working process on it. */
  readonly machine: string
  readonly worker: string
  /** Whether this machine also has serving processes. */
  readonly serves: boolean
  readonly seat: number
}

export async function openCodeWorkers(
  config: Config,
  parts: Parts,
  { machine, worker, serves, seat }: WorkerPlace,
): Promise<CodeWorkers> {
  // Builds and programs are users of their own, who have to read what is laid out for them. The data folder is closed to
  // everybody else, whatever the files in it allow.
  process.umask(0o022)
  const { blobs, bus, clock, log, stores, transact, vault, logWriter } = parts
  const isTerminal = process.stdout.isTTY === true && process.stderr.isTTY === true
  // On a machine that does not serve, the sites are found as by any visitor.
  const sites = serves ? { sites: ownSites(config) } : {}
  const outside = createDestinations({ privateTargets: config.privateTargets })
  const destinations = sites.sites
    ? withOwnSites(outside, sites.sites, createIsServed(config, stores.hosts))
    : outside
  const sandbox = await openSandbox({
    ...{ mode: config.sandbox, destinations, log },
    // Whoever is at a terminal is told by its first lines.
    quiet: isTerminal,
  })
  const facts = await sandboxFacts(sandbox, config)
  if (!isTerminal) log.info({ ...facts }, 'isolation of builds and functions')
  const authorities = await writeAuthorities(config.dataDir, parts)
  const registry = createRegistryLookup(process.env)
  const tools = join(config.dataDir, 'toolchains')
  const toolchains = createToolchains({ folder: tools, registry, log, freeBytes: DEFAULT_LIMITS.freeBytes })
  const cli = createBuildCli({ folder: tools, sandbox, toolchains, registry, log })
  const environment = createBuildEnvironment({
    folder: join(config.dataDir, 'builds'),
    seat,
    sandbox,
    blobs,
    registry,
    authorities,
    sharedCaches: openSharedCaches(config, parts),
    boot: bootId(),
    clock,
    log,
    ...(sandbox.kind === 'none' ? { env: sharedNetworkEnv(sites.sites, config.dataDir) } : {}),
  })
  const services = sites.sites && {
    services: { destinations, ports: Object.keys(sites.sites.ports).map(Number) },
  }
  const docker =
    config.runtime === 'process'
      ? undefined
      : await openEngine(config, parts, { authorities, ...services, seat, machine })
  const crashed = createMarkCrashed({ ...stores, transact, clock, onHostsChanged: announceHosts(bus) })
  const prerenders = openPrerenders(config, parts)
  const share = createShare(parts.machines, { name: machine, isReached: config.clusterAddress !== undefined })
  const runner = await createRunnerHost({
    sandbox,
    folder: config.dataDir,
    socket: runnerSocket(config.dataDir, seat),
    blobs,
    authorities,
    ...sites,
    loadProgram: createLoadProgram({
      deployments: stores.deployments,
      outputs: stores.outputs,
      vault,
      siteNames: siteNamesOf(config, parts),
      origin: config.origin,
      share: share.of,
    }),
    ensureNode: (version) => toolchains.ensureNode(version),
    ensureBun: (line) => toolchains.ensureBun(line),
    instances: stores.instances,
    limits: { memoryShare: config.memoryShare / 100 },
    async allowance(ownerId) {
      const [{ instances, memoryMb }, elsewhere] = await Promise.all([
        parts.quotas.limitsById(ownerId),
        stores.instances.ofOwner(ownerId, worker),
      ])
      return { instances, memoryMb, elsewhere }
    },
    log: createInstanceLog({
      ...{ writer: logWriter, clock, region: config.origin },
      allowance: parts.logAllowance,
    }),
    onCrashLoop: (ref, reason) =>
      void crashed(ref, reason).catch((err) =>
        log.error({ err, ...ref }, 'a deployment that keeps crashing could not be marked'),
      ),
    onRevalidate: createRevalidate({ prerenders, bus, clock, log }),
    clock,
    logger: log,
    worker,
    ...(docker ? { launchContainer: docker.launch } : {}),
  })
  const gateway = await openGateway(config, parts, {
    runnerSocket: runnerSocket(config.dataDir, seat),
    isInstance: (path) => runner.isInstance(path) || isOfContainer(config, path),
    ...(docker?.offers ? { offers: docker.offers } : {}),
  })
  const forget = (id: string) => {
    runner.forget(id)
    prerenders.forget(id).catch((err) => log.warn({ err }, 'cached responses could not be deleted'))
    docker?.forget(id).catch((err) => log.warn({ err }, 'the images of a deployment could not be deleted'))
  }
  const unsubscribe = bus.subscribe(DEPLOYMENTS_TOPIC, (text) => {
    const news = readDeploymentNews(text)
    if (news?.what === 'deleted') forget(news.id)
    if (news?.what === 'scaled') void keepRunning(news.id).catch(notKept)
  })

  const keepRunning = createKeepRunning({
    ...stores,
    scale: runner.scale.bind(runner),
    forget,
    share: share.of,
  })
  const notKept = (err: unknown) => log.error({ err }, 'the minimum number of instances could not be started')
  const lookAtAll = createKeepAll({ ...stores, keepRunning, running: () => runner.deployments() })
  let again: NodeJS.Timeout | undefined
  const keepAll = () =>
    void lookAtAll().catch((err: unknown) => {
      notKept(err)
      clearTimeout(again)
      again = setTimeout(keepAll, AGAIN_MS).unref()
    })
  keepAll()
  const stopSharing = share.onChange(keepAll)
  const endGaps = bus.onGap?.(keepAll)

  const builder = createBuilder({
    ...{ environment, toolchains, cli, blobs, clock, registry },
    ...(docker ? { docker: createDockerBuilder({ images: docker.images, blobs }) } : {}),
  })
  return {
    builder: withRuntimes(builder, {
      toolchains,
      onFunctions: (programs) =>
        void runner.prewarm(programs).catch((err) => log.warn({ err }, 'no runtime could be warmed')),
    }),
    boot: (program) => runner.boot(program),
    screenshots: await openScreenshots(config, sandbox, log),
    sandbox: facts,
    haveOwnShares: sandbox.report.limits.cpu === 'run',
    async drain(ms, how) {
      unsubscribe()
      stopSharing()
      endGaps?.()
      clearTimeout(again)
      gateway?.leave()
      await runner.drain(ms, how)
      await gateway?.close()
      await docker?.close()
      await environment.close()
      await sandbox.close()
    },
  }
}

interface EngineUse extends Pick<DockerOptions, 'services' | 'authorities'> {
  readonly seat: number
  readonly machine: string
}

/** Containers on this machine's Docker Engine, or on the swarm that it is part of, for deployments that are images. */
async function openEngine(
  config: Config,
  parts: Parts,
  { seat, machine, ...own }: EngineUse,
): Promise<Docker> {
  const { dataDir, sandbox, privateTargets, runtime } = config
  const { blobs, clock, log } = parts
  const { DOCKER_HOST: host } = process.env
  const options: DockerOptions = {
    folder: dataDir,
    runFolder: `${containerFolders(dataDir)}${seat}`,
    blobs,
    clock,
    log,
    ...(host === undefined ? {} : { host }),
    privateTargets: createDestinations({ privateTargets }).privateTargets,
    ...own,
  }
  const docker =
    runtime === 'swarm'
      ? await openSwarm({ ...options, ...(await swarmParts(config, parts, machine)) })
      : await openDocker(options)
  const { missing } = docker
  if (
    sandbox === 'required' &&
    missing.some((text) => text.startsWith('containers can reach this machine'))
  ) {
    await docker.close()
    throw new Error(`A sandbox is required, but containers are not isolated: ${missing.join('; ')}`)
  }
  log.info(
    { missing },
    `deployments that are images run on the Docker ${runtime === 'swarm' ? 'Swarm' : 'Engine'}`,
  )
  return docker
}

/** Where the sockets of containers are, up to the seat of the working process that has them. */
const containerFolders = (dataDir: string): string =>
  join(isRoot() ? '/run' : tmpdir(), `aloft-docker-${shortName(dataDir)}-`)

/**
 * While one working process takes the place of another, connections from other machines come to either of them, also those for
 * instances of the other.
 */
const isOfContainer = ({ dataDir, runtime }: Config, path: string): boolean => {
  const folders = containerFolders(dataDir)
  return (
    runtime !== 'process' &&
    resolve(path) === path &&
    path.startsWith(folders) &&
    /^\d+\//.test(path.slice(folders.length))
  )
}

async function sandboxFacts({ kind, report }: Sandbox, { sandbox: mode }: Config): Promise<SandboxFacts> {
  const machine = await readMachineFacts()
  const advice = mode === 'off' ? undefined : adviseSandbox(report, machine)
  return {
    ...{ kind, missing: report.missing },
    inForce: sandboxWords(report, machine.cgroups),
    advice: advice ?? null,
  }
}

const isRoot = (): boolean => process.getuid?.() === 0
