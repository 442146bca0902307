import { isBlocked } from '#core/access/soft-block.ts'
import { createAliases } from '#core/alias/aliases.ts'
import { platformNames } from '#core/alias/platform-names.ts'
import { createAnalytics } from '#core/analytics/analytics.ts'
import { createForgetTrafficJob } from '#core/analytics/forget-traffic.ts'
import { createTrafficCleanup } from '#core/analytics/traffic-cleanup.ts'
import { createApplications } from '#core/application/applications.ts'
import { createAuditLog } from '#core/audit/audit-log.ts'
import { type BuildJobParts, createBuildJob, createLostBuildsJob } from '#core/build/build-job.ts'
import { createMailsForFailedBuild } from '#core/build/mails-for-failed-build.ts'
import { createPurges } from '#core/cache/purges.ts'
import { createChanges } from '#core/change/changes.ts'
import { createPermits } from '#core/change/permits.ts'
import { cronMail } from '#core/cron/cron-mails.ts'
import { createCrons } from '#core/cron/crons.ts'
import { createCronJob } from '#core/cron/run-job.ts'
import { createCustomEnvironments } from '#core/custom-environment/custom-environments.ts'
import { createAbandonedJob } from '#core/deployment/abandoned-job.ts'
import {
  DEPLOYMENTS_TOPIC,
  type DeploymentNews,
  writeDeploymentNews,
} from '#core/deployment/deployment-news.ts'
import { createDeployments, type DeploymentParts, type Deployments } from '#core/deployment/deployments.ts'
import { createDnsRecords } from '#core/dns-record/dns-records.ts'
import { createCustomHostCheck } from '#core/domain/custom-host.ts'
import { createDomains } from '#core/domain/domains.ts'
import { createRecheckJob } from '#core/domain/recheck-job.ts'
import { createEnvVariables } from '#core/env-variable/env-variables.ts'
import { createCollectJob } from '#core/file/collect-job.ts'
import { damageMail } from '#core/file/damage-mail.ts'
import { createFiles } from '#core/file/files.ts'
import { createMoveJob } from '#core/file/move-job.ts'
import { createScrubJob } from '#core/file/scrub-job.ts'
import { createAppDeliveries } from '#core/git/app/app-deliveries.ts'
import { createGitApps } from '#core/git/app/apps.ts'
import { createDeployHooks } from '#core/git/deploy-hooks.ts'
import { RUNS_AT_ONCE } from '#core/git/git-turns.ts'
import { createConnections } from '#core/git/host/connections.ts'
import { createPushes } from '#core/git/push/pushes.ts'
import { createPushRoom } from '#core/git/repository-room.ts'
import { createInspect } from '#core/git/source/inspect.ts'
import { createSourceHook } from '#core/git/source/source-hook.ts'
import { createSources } from '#core/git/source/sources.ts'
import { createDisableInstallations } from '#core/installation/disable-installations.ts'
import {
  createDeleteDisabledJob,
  createRemoveJob,
  createScopesJob,
} from '#core/installation/installation-jobs.ts'
import { createInstallations } from '#core/installation/installations.ts'
import { createReviveJob } from '#core/instance/crash-loop.ts'
import { createCleanUpJobs } from '#core/job/clean-up-jobs.ts'
import type { JobHandler } from '#core/job/job-handler.ts'
import { createForgetJob } from '#core/log/cleanup/forget-job.ts'
import { createLogCleanup } from '#core/log/cleanup/log-cleanup.ts'
import { createDeploymentLogs } from '#core/log/read/deployment-logs.ts'
import { createBuildLog, type LogOfBuild } from '#core/log/write/build-log.ts'
import { createLogins } from '#core/login/logins.ts'
import { createJoining } from '#core/machine/joining.ts'
import { createMachines } from '#core/machine/machines.ts'
import { createMailJob } from '#core/mail/mail-job.ts'
import { createQueueMail } from '#core/mail/queue-mail.ts'
import { createAuthorizations } from '#core/oauth/authorizations.ts'
import { createOperators } from '#core/operator/operators.ts'
import type { Builder } from '#core/ports/builder.ts'
import type { Mailer } from '#core/ports/mailer.ts'
import type { Outbound } from '#core/ports/outbound.ts'
import type { BootProgram } from '#core/ports/runner.ts'
import type { Screenshots } from '#core/ports/screenshots.ts'
import { createPreviewJob } from '#core/preview/preview-job.ts'
import { createPreviews } from '#core/preview/previews.ts'
import { createProduction } from '#core/project/production.ts'
import { createProjects } from '#core/project/projects.ts'
import { createTransfers } from '#core/project/transfers.ts'
import { createProjectDomains } from '#core/project-domain/project-domains.ts'
import { createRegistrations } from '#core/registrar/registrations.ts'
import { createSettleJob, createTransfersJob } from '#core/registrar/settle-job.ts'
import { createAdvanceJob } from '#core/release/advance-job.ts'
import { releaseMail } from '#core/release/release-mails.ts'
import { createReleases } from '#core/release/releases.ts'
import { createResolveSecrets } from '#core/secret/resolve-secrets.ts'
import { createSecretValues } from '#core/secret/secret-values.ts'
import { createSecrets } from '#core/secret/secrets.ts'
import { createSessions } from '#core/session/sessions.ts'
import { createSignOn } from '#core/session/sign-on.ts'
import { createSshKeys } from '#core/ssh-key/ssh-keys.ts'
import { addressesOf } from '#core/team/account-people.ts'
import { createInvitations } from '#core/team/invitations.ts'
import { createTeams } from '#core/team/teams.ts'
import { createTokens } from '#core/token/tokens.ts'
import { createTurns } from '#core/turns.ts'
import { createCompactUsageJob } from '#core/usage/compact-job.ts'
import { createContentRoom } from '#core/usage/content-room.ts'
import { deadWebhookMail } from '#core/webhook/dead-webhook-mail.ts'
import { createDeliverJob } from '#core/webhook/deliver-job.ts'
import { createWebhooks } from '#core/webhook/webhooks.ts'
import type { UseCases } from '#http/routes.ts'
import type { Config } from '../../config/config.ts'
import { createReserveJob } from '../supervisor/reserve.ts'
import { type CertificateParts, createCertificateParts } from '../tls/certificates.ts'
import { announceHosts, announceZones } from './announce.ts'
import { openPrerenders } from './content/prerenders.ts'
import { createMakePreview } from './content/previews.ts'
import { allowedAuthority, domainCheckParts, domainPointing } from './domain/domains.ts'
import { registrationParts } from './domain/registrar.ts'
import { openDrains } from './drains.ts'
import {
  createFollow,
  createGitJobs,
  createGitRounds,
  openAccess,
  openHosts,
  openMeasure,
  openRemotes,
  openRepositories,
} from './git/git.ts'
import { createSshAddress } from './git/ssh-address.ts'
import { sharedSettings } from './machine/shared-settings.ts'
import { openAllows } from './outbound.ts'
import { createCallDeployment } from './own-visits.ts'
import type { Parts } from './parts.ts'
import { siteNamesOf } from './site-names.ts'

/** What jobs about installations are made from. */
const installationParts = ({ baseUrl }: Config, { stores, transact, vault, clock }: Parts) => ({
  ...{ stores, transact, clock, baseUrl },
  queueMail: createQueueMail(vault),
})

/** Jobs that come round by themselves. */
const recurringJobs = (
  config: Config,
  parts: Parts,
  { recurring }: CertificateParts,
): readonly JobHandler[] => {
  const { stores, blobs, logStore, clock } = parts
  return [
    ...recurring,
    createRecheckJob(domainCheckParts(config, parts)),
    createSettleJob(registrationParts(config, parts)),
    createTransfersJob(registrationParts(config, parts)),
    ...createCleanUpJobs(stores, clock),
    createAbandonedJob({ store: stores.deployments, clock }),
    createLogCleanup({
      store: logStore,
      clock,
      maxBytes: config.logBytes,
      disk: config.databaseUrl === undefined ? parts.disk : undefined,
    }),
    createReserveJob(parts),
    createCompactUsageJob({ store: stores.usage, clock }),
    createScrubJob({
      blobs,
      settings: stores.settings,
      onDamage: (sha256s) =>
        parts.transact(async ({ jobs, users }) => {
          const queueMail = createQueueMail(parts.vault)
          for (const { email } of await users.operators())
            await queueMail(jobs, damageMail(email, sha256s.length, config.baseUrl))
        }),
    }),
    createTrafficCleanup({ store: parts.trafficStore, clock }),
    createDeleteDisabledJob(installationParts(config, parts)),
    createCollectJob({ files: stores.files, deployments: stores.deployments, blobs, clock }),
    ...createGitRounds(config, parts),
    createMoveJob(parts.contents.moving?.move ?? (async () => ({ contents: 0, bytes: 0 }))),
  ]
}

/** What only working processes have. */
export interface Workers {
  readonly mailer: Mailer
  readonly builder: Builder
  readonly boot: BootProgram
  readonly outbound: Outbound
  /** Absent, previews are the icons of sites. */
  readonly screenshots?: Screenshots | undefined
  /** Builds at once in one process. */
  readonly buildsAtOnce: number
  /** Whether the machine can bear one more build. */
  readonly mayBuild?: (() => boolean) | undefined
}

const buildLogs =
  ({ origin }: Config, { logWriter, clock }: Parts): LogOfBuild =>
  (build) =>
    createBuildLog({ writer: logWriter, clock, region: origin }, build)

const buildJobs = (
  config: Config,
  parts: Parts,
  { builder, boot, buildsAtOnce, mayBuild }: Pick<Workers, 'builder' | 'boot' | 'buildsAtOnce' | 'mayBuild'>,
  certificates: CertificateParts,
): readonly JobHandler[] => {
  const build: BuildJobParts = {
    deployments: parts.stores.deployments,
    projects: parts.stores.projects,
    transact: parts.transact,
    vault: parts.vault,
    quotas: parts.quotas,
    usage: parts.stores.usage,
    files: parts.stores.files,
    builder,
    siteNames: siteNamesOf(config, parts),
    boot,
    blobs: parts.blobs,
    docker: config.runtime !== 'process',
    logOf: buildLogs(config, parts),
    bus: parts.bus,
    clock: parts.clock,
    onHostsChanged: announceAndCertify(parts, certificates),
    mailsForFailed: createMailsForFailedBuild({
      ...parts.stores,
      log: parts.logStore,
      clock: parts.clock,
      baseUrl: config.baseUrl,
    }),
    queueMail: createQueueMail(parts.vault),
    atOnce: buildsAtOnce,
    mayBegin: mayBuild,
  }
  return [createBuildJob(build), createLostBuildsJob(build)]
}

const pushJobs = (config: Config, parts: Parts, certificates: CertificateParts): readonly JobHandler[] => {
  const onHostsChanged = announceAndCertify(parts, certificates)
  const content = createContentRoom(parts)
  const { create } = openDeployments(config, parts, { content, onHostsChanged })
  return createGitJobs(config, parts, { create, content, onHostsChanged })
}

/** Everything the working processes do. */
export function createJobHandlers(
  config: Config,
  parts: Parts,
  { mailer, builder, boot, outbound, screenshots, buildsAtOnce, mayBuild }: Workers,
): readonly JobHandler[] {
  const certificates = createCertificateParts(config, parts)
  return [
    certificates.issueJob,
    createMailJob({ mailer, vault: parts.vault }),
    createDeliverJob({
      stores: parts.stores,
      transact: parts.transact,
      outbound,
      vault: parts.vault,
      clock: parts.clock,
      async onDead(stores, webhook) {
        const queueMail = createQueueMail(parts.vault)
        for (const address of await addressesOf(stores, webhook.ownerId))
          await queueMail(stores.jobs, deadWebhookMail(address, webhook, config.baseUrl))
      },
    }),
    createScopesJob(installationParts(config, parts)),
    createRemoveJob(installationParts(config, parts)),
    createPreviewJob({
      deployments: parts.stores.deployments,
      sites: parts.sites,
      transact: parts.transact,
      make: createMakePreview(config, parts, screenshots),
      blobs: parts.blobs,
      clock: parts.clock,
    }),
    createCronJob({
      deployments: parts.stores.deployments,
      transact: parts.transact,
      vault: parts.vault,
      clock: parts.clock,
      call: createCallDeployment(config, parts),
      async onTrouble(stores, cron, { name: project }, trouble) {
        const queueMail = createQueueMail(parts.vault)
        for (const address of await addressesOf(stores, cron.ownerId))
          await queueMail(stores.jobs, cronMail(address, { cron, project, trouble }, config.baseUrl))
      },
    }),
    createAdvanceJob({
      projects: parts.stores.projects,
      traffic: parts.trafficStore,
      transact: parts.transact,
      clock: parts.clock,
      names: platformNames(config),
      onHostsChanged: announceHosts(parts.bus),
      async onTrouble(stores, project, release) {
        const queueMail = createQueueMail(parts.vault)
        for (const address of await addressesOf(stores, project.ownerId))
          await queueMail(stores.jobs, releaseMail(address, project, release, config.baseUrl))
      },
    }),
    createForgetJob({ store: parts.logStore }),
    createForgetTrafficJob({ store: parts.trafficStore }),
    ...buildJobs(config, parts, { builder, boot, buildsAtOnce, mayBuild }, certificates),
    ...pushJobs(config, parts, certificates),
    createReviveJob({ ...parts.stores, boot, clock: parts.clock, onHostsChanged: announceHosts(parts.bus) }),
    ...recurringJobs(config, parts, certificates),
  ]
}

/** The same, and those of them that want a certificate get one. */
const announceAndCertify = ({ bus, log }: Parts, { automatic }: CertificateParts) => {
  const announce = announceHosts(bus)
  return (hosts: readonly string[]) => {
    announce(hosts)
    automatic
      .wanted(hosts)
      .catch((error: unknown) => log.error({ err: error }, 'certificates could not be requested'))
  }
}

/** Deployments as both serving processes and jobs make them. */
function openDeployments(
  config: Config,
  parts: Parts,
  given: Pick<DeploymentParts, 'content' | 'onHostsChanged'>,
): Deployments {
  const { stores, transact, clock, vault, blobs, bus, quotas } = parts
  return createDeployments({
    ...given,
    names: platformNames(config),
    domains: stores.domains,
    checkCustomHost: createCustomHostCheck(config),
    quotas,
    store: stores.deployments,
    instances: stores.instances,
    machines: stores.machines,
    outputs: stores.outputs,
    projects: stores.projects,
    onNews: (news) => bus.publish(DEPLOYMENTS_TOPIC, writeDeploymentNews(news)),
    files: stores.files,
    transact,
    blobs,
    vault,
    clock,
    resolveSecrets: createSecretValues(createResolveSecrets(vault)),
    logOf: buildLogs(config, parts),
    docker: config.runtime !== 'process',
  })
}

/** Binds the use cases to their stores and to each other. */
export function createUseCases(
  config: Config,
  parts: Parts,
  /** Whether somebody visits sites here, who comes before what can wait. */
  isVisited?: () => boolean,
): UseCases {
  const { baseUrl, nameservers, defaultPlan, domain, port, tlsPort } = config
  const { stores, transact, clock, vault, blobs, bus } = parts
  const certificateParts = createCertificateParts(config, parts)
  const onHostsChanged = announceAndCertify(parts, certificateParts)
  const rules = { clock, defaultPlan }
  const queueMail = createQueueMail(vault)
  const checkCustomHost = createCustomHostCheck({ nameservers })
  const names = platformNames(config)
  const naming = { names, checkCustomHost, onHostsChanged }
  const onNews = (news: DeploymentNews) => bus.publish(DEPLOYMENTS_TOPIC, writeDeploymentNews(news))
  const resolveSecrets = createSecretValues(createResolveSecrets(vault))
  const envVariables = createEnvVariables({
    store: stores.envVariables,
    projects: stores.projects,
    secrets: stores.secrets,
    transact,
    vault,
    clock,
  })
  const { quotas } = parts
  const content = createContentRoom({ quotas, clock })
  const deployments = openDeployments(config, parts, { content, onHostsChanged })
  const projects = createProjects({
    store: stores.projects,
    transact,
    vault,
    clock,
    quotas,
    onHostsChanged,
    onNews,
    beginVariables: envVariables.begin,
  })
  const logs = createDeploymentLogs({ store: parts.logStore, bus })
  const repositories = openRepositories(config, parts)
  const measure = openMeasure(repositories, parts)
  const hosts = openHosts(parts)
  const { credentials, access, refresh } = openAccess(parts, hosts)
  return {
    deployments,
    git: {
      repositories,
      turns: createTurns(RUNS_AT_ONCE),
      room: createPushRoom({ quotas, clock, measure, sizes: stores.gitSizes, transact }),
      pushes: createPushes({
        store: stores.pushes,
        projects: stores.projects,
        ensureProject: projects.ensure,
        getProject: projects.get,
        repositories,
        transact,
        bus,
        clock,
      }),
      connections: createConnections({
        store: stores.connections,
        transact,
        accounts: hosts.accounts,
        allowsAddress: openAllows(config),
        sources: stores.sources,
        projects: stores.projects,
        credentials,
        vault,
        clock,
      }),
      apps: createGitApps({
        store: stores.apps,
        transact,
        access,
        refresh,
        hostApps: hosts.apps,
        allowsAddress: openAllows(config),
        vault,
        clock,
        site: config.baseUrl,
      }),
      appDeliveries: createAppDeliveries({
        apps: stores.apps,
        access,
        connections: stores.connections,
        sources: stores.sources,
        store: stores.sources,
        projects: stores.projects,
        transact,
        clock,
        origin: config.origin,
      }),
      inspect: createInspect({
        ...{ connections: stores.connections, accounts: hosts.accounts, credentials, clock },
        remotes: openRemotes(config, parts, measure),
      }),
      hooks: createDeployHooks({
        ...{ projects: stores.projects, getProject: projects.get, transact, clock },
        isBlocked: (ownerId) => isBlocked(stores, ownerId),
        origin: config.origin,
      }),
      sources: createSources({
        origin: config.origin,
        store: stores.sources,
        projects: stores.projects,
        getProject: projects.get,
        repositories,
        remotes: openRemotes(config, parts, measure),
        connections: stores.connections,
        credentials,
        accounts: hosts.accounts,
        hooks: createSourceHook({
          hooks: hosts.hooks,
          credentials,
          vault,
          clock,
          appOf: async (connectionId) => {
            const { app } = (await stores.connections.byId(connectionId)) ?? {}
            return app ? ((await stores.apps.byId(app.id))?.made ?? undefined) : undefined
          },
          site: config.baseUrl,
        }),
        transact,
        vault,
        clock,
      }),
      follow: createFollow(config, parts, logs),
      maxBytes: config.gitMaxPush,
      maxRefs: config.gitMaxRefs,
    },
    analytics: createAnalytics({
      store: parts.trafficStore,
      findProject: projects.get,
      async listProjects(ctx, limit, ids) {
        const { items } = await projects.list(ctx, { limit }, ids === undefined ? {} : { ids })
        return items.map(({ id }) => id).filter((id) => ids?.includes(id) ?? true)
      },
      clock,
    }),
    logs,
    previews: createPreviews({
      store: stores.previews,
      jobs: stores.jobs,
      blobs,
      clock,
      findDeployment: (ctx, id) => deployments.find(ctx, id, 'read'),
    }),
    aliases: createAliases({
      ...naming,
      store: stores.hosts,
      deployments: stores.deployments,
      transact,
      quotas,
      clock,
    }),
    files: createFiles({
      ...{ blobs, store: stores.files, content, clock, onUploaded: deployments.fileArrived },
      ...(isVisited === undefined ? {} : { givesWay: isVisited }),
    }),
    sshKeys: createSshKeys({ store: stores.sshKeys, transact, clock }),
    sshAddress: createSshAddress(config, parts),
    tokens: createTokens({ store: stores.tokens, transact, quotas, clock }),
    logins: createLogins({
      ...rules,
      store: stores.logins,
      users: stores.users,
      transact,
      queueMail,
      baseUrl,
    }),
    sessions: createSessions({ store: stores.sessions, transact, clock }),
    signOn: createSignOn({
      hosts: stores.hosts,
      teams: stores.teams,
      passes: stores.ssoPasses,
      clock,
      ports: [String(port), String(tlsPort), new URL(baseUrl).port],
    }),
    teams: createTeams({
      ...rules,
      store: stores.teams,
      transact,
      quotas,
      queueMail,
      baseUrl,
      onLeaving: createDisableInstallations({ queueMail, clock, baseUrl }),
    }),
    invitations: createInvitations({
      ...rules,
      store: stores.invitations,
      teams: stores.teams,
      transact,
      quotas,
      queueMail,
      baseUrl,
    }),
    applications: createApplications({
      store: stores.applications,
      transact,
      vault,
      clock,
      allowsAddress: openAllows(config),
    }),
    authorizations: createAuthorizations({ stores, transact, vault, clock }),
    installations: createInstallations({ stores, transact, clock }),
    envVariables,
    certificates: certificateParts.certificates,
    domains: createDomains({
      ...domainCheckParts(config, parts),
      resolver: parts.resolver,
      pointing: domainPointing(config, parts.machines),
      hosts: stores.hosts,
      certificates: stores.certificates,
      users: stores.users,
      transact,
      quotas,
      domain,
      onHostsChanged,
    }),
    registrations: createRegistrations(registrationParts(config, parts)),
    dnsRecords: createDnsRecords({
      store: stores.dnsRecords,
      domains: stores.domains,
      transact,
      clock,
      aliasHost: `alias.${domain}`,
      authority: allowedAuthority(config),
      nameservers,
      onZonesChanged: announceZones(bus),
    }),
    projectDomains: createProjectDomains({
      store: stores.projectDomains,
      projects: stores.projects,
      transact,
      resolver: parts.resolver,
      pointing: domainPointing(config, parts.machines),
      clock,
      names,
      onHostsChanged,
    }),
    transfers: createTransfers({
      projects: stores.projects,
      deployments: stores.deployments,
      outputs: stores.outputs,
      files: stores.files,
      envVariables: stores.envVariables,
      secrets: stores.secrets,
      usage: stores.usage,
      gitSizes: stores.gitSizes,
      instances: stores.instances,
      settings: stores.settings,
      quotas,
      transact,
      resolveSecrets,
      vault,
      clock,
      onHostsChanged,
    }),
    production: createProduction({ store: stores.projects, transact, clock, names, onHostsChanged }),
    releases: createReleases({ stores, transact, clock, names, onHostsChanged }),
    projects,
    changes: createChanges({ bus, teams: stores.teams }),
    permits: createPermits({ bus, teams: stores.teams, clock }),
    auditLog: createAuditLog({ store: stores.audit, users: stores.users }),
    purges: createPurges({ projects: stores.projects, cache: openPrerenders(config, parts), bus, clock }),
    crons: createCrons({ stores, transact, clock }),
    customEnvironments: createCustomEnvironments({
      stores,
      transact,
      copyVariables: envVariables.copy,
      leaveVariables: envVariables.leave,
      clock,
      names,
      onHostsChanged,
    }),
    drains: openDrains(config, parts),
    webhooks: createWebhooks({
      stores,
      transact,
      vault,
      clock,
      allowsAddress: openAllows(config),
    }),
    secrets: createSecrets({ store: stores.secrets, transact, quotas, vault, clock }),
    backups: parts.backups,
    quotas,
    quotaSettings: parts.quotaSettings,
    machines: createMachines({ store: stores.machines, transact, clock }),
    joining: createJoining({ settings: stores.settings, clock, shared: () => sharedSettings(config) }),
    operators: createOperators({
      ...rules,
      stores,
      transact,
      recurring: recurringJobs(config, parts, certificateParts),
      onBlockChanged: () => onHostsChanged(['*']),
    }),
  }
}
