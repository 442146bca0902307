import type { ContentIndex } from '#adapters/blob-s3/content-index.ts'
import type { Stores } from '#adapters/sql/stores.ts'
import type { DeploymentFilter } from '#core/deployment/deployment-store.ts'
import type { MachineReport } from '#core/machine/machine.ts'
import { STORED_ITEMS } from '#core/usage/usage-store.ts'
import {
  sampleAlias,
  sampleApp,
  sampleApplication,
  sampleAuditEntry,
  sampleCertificate,
  sampleChallenge,
  sampleConnection,
  sampleCron,
  sampleCronRun,
  sampleDelivery,
  sampleDeployment,
  sampleDnsRecord,
  sampleDomain,
  sampleDrain,
  sampleEntry,
  sampleEnvVariable,
  sampleFile,
  sampleInstallation,
  sampleInstance,
  sampleLogin,
  sampleOrder,
  sampleOutput,
  sampleProject,
  sampleProjectDomain,
  samplePull,
  samplePush,
  sampleSecret,
  sampleSession,
  sampleSource,
  sampleSshKey,
  sampleTeam,
  sampleToken,
  sampleUser,
  sampleWebhook,
} from '#test/support/samples.ts'

export const user = sampleUser()
const team = sampleTeam({ creatorId: user.id })
const token = sampleToken({ userId: user.id })
const login = sampleLogin()
const invitation = {
  ...{ id: 'i', teamId: team.id, email: 'jo@aloft.test', role: 'MEMBER' as const, inviterId: user.id },
  ...{ createdAt: 1, expiresAt: 2 },
} as const
const session = sampleSession({ userId: user.id })
const pass = { hash: 'h', host: 'a.aloft.test', userId: user.id, expiresAt: 1 }
const secret = sampleSecret({ ownerId: user.id })
const file = sampleFile('a file')
const project = sampleProject({ ownerId: user.id })
const variable = sampleEnvVariable({ projectId: project.id })
const projectDomain = sampleProjectDomain({ projectId: project.id, ownerId: user.id })
const deployment = sampleDeployment({ ownerId: user.id, meta: { branch: 'main', author: 'anna' } })
const begun = sampleDeployment({ ownerId: user.id, incomplete: true })
const entry = sampleEntry('index.html')
const content = { manifest: [entry], sealedEnv: '' }
const alias = sampleAlias({ ownerId: user.id, deploymentId: deployment.id })
const application = sampleApplication({ ownerId: user.id })
const installation = sampleInstallation({ applicationId: application.id, ownerId: user.id, userId: user.id })
const coded = sampleApplication({ ownerId: user.id })
const codeOf = { application: coded, installation: sampleInstallation({ applicationId: coded.id }) }
const code = {
  hash: 'hash',
  installationId: codeOf.installation.id,
  applicationId: coded.id,
  userId: user.id,
  challenge: null,
  createdAt: 1,
  usedAt: null,
  tokenId: null,
}
const pushedTo = sampleProject({ ownerId: user.id })
const pull = samplePull({ ownerId: user.id, projectId: pushedTo.id })
const push = samplePush({ ownerId: user.id, projectId: pushedTo.id })
const source = sampleSource({ ownerId: user.id, projectId: pushedTo.id })
const connection = sampleConnection({ ownerId: user.id })
const app = sampleApp({ ownerId: user.id })
const webhook = sampleWebhook({ ownerId: user.id })
const auditEntry = sampleAuditEntry({ ownerId: user.id, userId: user.id })
const cronProject = sampleProject({ ownerId: user.id, name: 'with-crons' })
const drain = sampleDrain({ ownerId: user.id })
const delivery = sampleDelivery({ target: { kind: 'webhook', id: webhook.id } })
export const page = { limit: 10, since: 1, until: 2e12 }
const kinds = ['mail', 'build']
const output = sampleOutput()
const domain = sampleDomain({ ownerId: user.id })
const recordedDomain = sampleDomain({ ownerId: user.id })
const record = sampleDnsRecord({ domainId: recordedDomain.id })
const order = sampleOrder({ ownerId: user.id })
const instance = sampleInstance({ deploymentId: deployment.id })

const certificate = sampleCertificate({ ownerId: user.id })
const attempt = { host: 'a.example.com', domain: 'example.com', failures: 1, at: 1, retryAt: 2, error: null }
const challenge = sampleChallenge()
const sshKey = sampleSshKey({ userId: user.id })

type Others = Omit<
  Stores,
  | 'users'
  | 'teams'
  | 'tokens'
  | 'sshKeys'
  | 'logins'
  | 'invitations'
  | 'sessions'
  | 'ssoPasses'
  | 'settings'
  | 'locks'
  | 'jobs'
  | 'accounts'
>
const sharedThing = { details: '', contents: new Map([['a', { sha256: 'a'.repeat(64), size: 1 }]]) }

type OtherCalls = Pick<Calls, keyof Others>
type Calls = { readonly [S in keyof Stores]: { readonly [M in keyof Stores[S]]: () => Promise<unknown> } }

/** A filter alone and with others that could lead a planner astray. */
const FILTERS: readonly DeploymentFilter[] = [
  {},
  { app: 'x' },
  { projectId: 'x' },
  { projectId: ['x', 'y'] },
  { projectId: 'x', states: ['READY', 'ERROR'] },
  { projectId: 'x', target: 'production' },
  { projectId: 'x', target: 'preview' },
  { creators: ['x', 'y'] },
  { target: 'production' },
  { states: ['READY', 'ERROR'] },
  { meta: { branch: 'main' } },
  { meta: { branch: 'main', author: 'anna' }, app: 'x', states: ['READY'], creators: ['x'] },
  { app: 'x', projectId: 'x', creators: ['x', 'y'], target: 'staging', states: ['READY', 'ERROR'] },
  { app: 'x', creators: ['x'], target: 'staging', states: ['READY'] },
]

/** Every method of every store: one that is missing here does not compile. */
export const callsOn = ({
  users,
  teams,
  tokens,
  sshKeys,
  invitations,
  logins,
  sessions,
  ssoPasses,
  settings,
  locks,
  jobs,
  accounts,
  ...others
}: Stores): Calls => ({
  users: {
    insert: () => users.insert(user),
    byId: () => users.byId(user.id),
    byEmail: () => users.byEmail(user.email),
    byUsername: () => users.byUsername(user.username),
    update: () => users.update(user.id, { plan: 'pro' }),
    operators: () => users.operators(),
    hasOperator: () => users.hasOperator(),
  },
  teams: {
    insert: () => teams.insert(team, user.id),
    byId: () => teams.byId(team.id),
    roles: () => teams.roles(user.id, [team.id, 'another']),
    bySlug: () => teams.bySlug(team.slug),
    listFor: () => teams.listFor(user.id, page),
    update: () => teams.update(team.id, { slug: 'renamed', name: 'Renamed' }),
    members: () => teams.members(team.id),
    member: () => teams.member(team.id, user.id),
    addMember: () => teams.addMember(team.id, user.id, 'MEMBER', 1),
    setRole: () => teams.setRole(team.id, user.id, 'OWNER'),
    removeMember: () => teams.removeMember(team.id, user.id),
    lockMembers: () => teams.lockMembers(team.id),
    countOwners: () => teams.countOwners(team.id),
    membership: async () => {
      await teams.membership(user.id, { id: team.id })
      await teams.membership(user.id, { slug: team.slug })
    },
  },
  tokens: {
    insert: () => tokens.insert(token, 'hash'),
    byHash: () => tokens.byHash('hash'),
    byId: () => tokens.byId(user.id, token.id),
    list: () => tokens.list(user.id, page),
    touch: () => tokens.touch(token.id, 1),
    delete: () => tokens.delete(user.id, token.id),
    keep: () => tokens.keep(installation.id, 10),
    prune: () => tokens.prune(1, 1),
    handOver: () => tokens.handOver(installation.id, user.id),
  },
  sshKeys: {
    add: () => sshKeys.add(sshKey),
    list: () => sshKeys.list(user.id),
    find: () => sshKeys.find(sshKey.fingerprint),
    touch: () => sshKeys.touch(sshKey.id, 1),
    delete: () => sshKeys.delete(user.id, sshKey.id),
  },
  invitations: {
    add: () => invitations.add(invitation, 'h'),
    byHash: () => invitations.byHash('h'),
    ofTeam: () => invitations.ofTeam(invitation.teamId, 1),
    take: () => invitations.take(invitation.teamId, invitation.id),
    prune: () => invitations.prune(1),
  },
  logins: {
    insert: () => logins.insert(login, { poll: 'p', link: 'l' }),
    byPoll: () => logins.byPoll('p'),
    byLink: () => logins.byLink('l'),
    waiting: () => logins.waiting(login.email, 1),
    accept: () => logins.accept(login.id, 1),
    take: () => logins.take(login.id),
    deleteExpired: () => logins.deleteExpired(1),
  },
  sessions: {
    insert: () => sessions.insert(session, 'hash'),
    byHash: () => sessions.byHash('hash'),
    list: () => sessions.list(user.id, 1, 10),
    extend: () => sessions.extend(session.id, 1),
    delete: () => sessions.delete(user.id, session.id),
    deleteOthers: () => sessions.deleteOthers(user.id, session.id),
    prune: () => sessions.prune(1),
  },
  ssoPasses: {
    add: () => ssoPasses.add(pass),
    take: () => ssoPasses.take(pass.hash, pass.host, 1),
    prune: () => ssoPasses.prune(1),
  },
  settings: {
    get: () => settings.get('a'),
    set: () => settings.set('a', '1'),
    ensure: () => settings.ensure('b', '1'),
    take: () => settings.take('a', '1'),
  },
  locks: {
    take: () => locks.take('webhooks', user.id),
  },
  jobs: {
    enqueue: async () => {
      await jobs.enqueue({ kind: 'mail', payload: {}, key: 'k' })
      await jobs.enqueue({ kind: 'mail', payload: {}, key: 'k' })
    },
    withdraw: () => jobs.withdraw('k'),
    begun: () => jobs.begun('k'),
    claim: async () => {
      const claim = { kinds, worker: 'w', now: 2e12, leaseUntil: 3e12, limit: 5 }
      await jobs.claim(claim)
      await jobs.claim({ ...claim, kinds: ['build'], share: 'an-account' })
      await jobs.claim({ ...claim, kinds: ['build'], share: 'an-account', oneAtATime: true })
      await jobs.claim({ ...claim, leaseNow: 1e12 })
    },
    waiting: async () => {
      await jobs.waiting('build', 2e12)
      await jobs.waiting('build', 2e12, 1e12)
    },
    queue: async () => {
      await jobs.queue('build', 2e12, 5)
      await jobs.queue('build', 2e12, 5, 1e12)
    },
    extend: () => jobs.extend('x', 'w', 1),
    giveBack: () => jobs.giveBack('x', 'w', 1),
    reclaim: () => jobs.reclaim('w', 1),
    complete: () => jobs.complete('x', 'w'),
    retry: () => jobs.retry('x', 'w', 1, 'no'),
    bury: () => jobs.bury('x', 'w', 'no', 1),
    latest: () => jobs.latest(10),
    scheduled: () => jobs.scheduled(['recurring:a', 'recurring:b']),
    reschedule: () => jobs.reschedule({ id: 'x', dueAt: 2 }, 1),
    nextDue: () => jobs.nextDue(kinds),
    counts: () => jobs.counts(),
    prune: () => jobs.prune(1),
    failed: () => jobs.failed(page),
    retryFailed: () => jobs.retryFailed('x'),
    forgetFailed: () => jobs.forgetFailed('x'),
  },
  accounts: {
    list: async () => {
      await accounts.list(page, undefined)
      await accounts.list(page, 'jo')
    },
  },
  ...callsOnOthers(others),
})

const machine: MachineReport = {
  ...{
    name: 'one',
    role: 'work',
    version: '1',
    origin: 'iad1',
    address: undefined,
    publicAddresses: [],
    load: 0,
  },
  ...{ memory: { free: 1, total: 2 }, disk: { free: 1, total: 2 }, startedAt: 1 },
}

const callsOnOthers = ({
  secrets,
  files,
  projects,
  envVariables,
  projectDomains,
  hosts,
  deployments,
  outputs,
  previews,
  instances,
  machines,
  sharedThings,
  revalidations,
  domains,
  dnsRecords,
  orders,
  certificates,
  certificateAttempts,
  challenges,
  applications,
  installations,
  oauthCodes,
  audit,
  usage,
  drains,
  crons,
  webhooks,
  deliveries,
  pulls,
  pushes,
  gitObjects,
  gitSizes,
  sources,
  connections,
  apps,
  events,
}: Others): OtherCalls => ({
  applications: {
    add: () => applications.add(application),
    find: () => applications.find(user.id, application.id),
    byId: () => applications.byId(application.id),
    byClientId: () => applications.byClientId(application.clientId),
    list: () => applications.list(user.id, page),
    update: () => applications.update(application.id, { name: 'renamed' }),
    retire: () => applications.retire('another'),
    remove: () => applications.remove('another'),
  },
  installations: {
    add: () => installations.add(installation),
    byId: () => installations.byId(installation.id),
    lock: () => installations.lock(installation.id),
    find: () => installations.find(user.id, installation.id),
    ofApplication: () => installations.ofApplication(application.id, user.id),
    list: () => installations.list(user.id, page),
    everywhere: () => installations.everywhere(application.id, '', 10),
    byUser: () => installations.byUser(user.id, user.id),
    disabledBefore: () => installations.disabledBefore(1, 10),
    update: () => installations.update(installation.id, { disabledAt: 1 }),
    remove: () => installations.remove(installation.id),
  },
  oauthCodes: {
    // Of an installation that exists, because codes are gone with theirs.
    add: async () => {
      await applications.add(codeOf.application)
      await installations.add(codeOf.installation)
      await oauthCodes.add(code)
    },
    byHash: () => oauthCodes.byHash(code.hash),
    use: () => oauthCodes.use(code.hash, 1, 'a-token'),
    prune: () => oauthCodes.prune(1),
  },
  audit: {
    add: () => audit.add(auditEntry),
    list: async () => {
      await audit.list(user.id, page, {})
      await audit.list(user.id, page, { action: 'PATCH' })
      await audit.list(user.id, page, { userId: user.id, action: 'PATCH' })
    },
    prune: () => audit.prune(1, 10),
  },
  machines: {
    report: () => machines.report(machine),
    list: () => machines.list(),
    setDraining: () => machines.setDraining(machine.name, true),
    remove: () => machines.remove(machine.name),
    removed: () => machines.removed(),
  },
  revalidations: {
    add: () => revalidations.add(deployment.id, { tags: ['a'], at: 1, expire: 2 }),
    of: () => revalidations.of(deployment.id),
    join: () => revalidations.join(deployment.id, 1),
    forget: () => revalidations.forget(deployment.id),
  },
  sharedThings: {
    version: () => sharedThings.version('git', 'x'),
    put: () => sharedThings.put('git', 'x', 0, sharedThing, 1),
    find: () => sharedThings.find('git', 'x'),
    names: () => sharedThings.names('git'),
    unused: () => sharedThings.unused('git', 1, 10),
    under: () => sharedThings.under('git', 'a '),
    newest: () => sharedThings.newest('git', 10),
    remove: () => sharedThings.remove('git', 'x'),
    removeAll: () => sharedThings.removeAll('git'),
  },
  usage: {
    add: () => usage.add([{ ownerId: user.id, what: 'logBytes', period: '2026-11-16', amount: 1 }]),
    used: () => usage.used(user.id, 'logBytes', '2026-11-16'),
    held: async () => {
      for (const what of STORED_ITEMS) await usage.held(user.id, what)
    },
    compact: () => usage.compact(10),
    prune: () => usage.prune('2026-11-01'),
  },
  crons: {
    ofProject: () => crons.ofProject(project.id),
    lock: () => crons.lock('cron_1'),
    // Of a project that exists, because schedules are gone with theirs.
    insert: async () => {
      await projects.insert(cronProject)
      await crons.insert(sampleCron({ ownerId: user.id, projectId: cronProject.id }))
    },
    update: () => crons.update('cron_1', { nextAt: 1 }),
    insertRun: () => crons.insertRun(sampleCronRun()),
    updateRun: () => crons.updateRun('crun_1', { state: 'failed' }),
    run: () => crons.run('crun_1'),
    isRunning: () => crons.isRunning('cron_1'),
    runs: () => crons.runs('cron_1', { limit: 10, until: 5 }),
    lastRuns: () => crons.lastRuns(project.id),
    remove: () => crons.remove('cron_1'),
  },
  drains: {
    add: () => drains.add(drain, '0'),
    find: () => drains.find(user.id, drain.id),
    list: () => drains.list(user.id),
    update: () => drains.update(drain.id, { status: 'enabled', failingSince: 1 }),
    giveUp: () => drains.giveUp(drain.id),
    claim: () => drains.claim('w', 1, 2),
    save: () => drains.save(drain.id, 'w', { position: '1', gap: null }),
    release: () => drains.release('w'),
    remove: () => drains.remove(user.id, drain.id),
  },
  pushes: {
    // Of a project that exists, because pushes are gone with theirs.
    add: async () => {
      await projects.insert(pushedTo)
      await pushes.add(push)
    },
    byId: () => pushes.byId(push.id),
    list: () => pushes.list(pushedTo.id, page),
    openOf: () => pushes.openOf(pushedTo.id, push.ref),
    newestOf: () => pushes.newestOf(pushedTo.id, push.ref),
    lastDeployed: async () => {
      await pushes.lastDeployed(pushedTo.id, push.ref)
      await pushes.lastDeployed(pushedTo.id)
    },
    update: () => pushes.update(push.id, ['queued'], { state: 'waiting' }),
    overdue: () => pushes.overdue(1, 10),
    keepNewest: () => pushes.keepNewest(pushedTo.id, push.ref, 10),
    prune: () => pushes.prune(1, 10),
  },
  pulls: {
    find: () => pulls.find(pushedTo.id, 1),
    save: () => pulls.save(pull),
    open: () => pulls.open(pushedTo.id),
    same: () => pulls.same(user.id, pull.repository, 1),
    clear: () => pulls.clear(pushedTo.id),
  },
  sources: {
    save: () => sources.save({ ...source, projectId: pushedTo.id }),
    find: () => sources.find(pushedTo.id),
    update: () => sources.update(pushedTo.id, { problem: null }),
    remember: () => sources.remember(pushedTo.id, 'delivery', 1),
    through: () => sources.through('gcn_1'),
    due: () => sources.due(1, 10),
    remove: () => sources.remove('another'),
  },
  connections: {
    add: () => connections.add(connection),
    find: () => connections.find(user.id, connection.id),
    byId: () => connections.byId(connection.id),
    list: () => connections.list(user.id),
    update: () => connections.update(connection.id, { problem: null }),
    remove: () => connections.remove(user.id, connection.id),
  },
  apps: {
    add: () => apps.add(app),
    byId: () => apps.byId(app.id),
    list: () => apps.list(user.id),
    claim: () => apps.claim(app.id, 'hash'),
    update: () => apps.update(app.id, { heardAt: 1 }),
    remove: () => apps.remove(user.id, app.id),
  },
  gitSizes: {
    set: () => gitSizes.set(project.id, 1),
    clear: () => gitSizes.clear(project.id),
    used: () => gitSizes.used(user.id),
    ofProject: () => gitSizes.ofProject(project.id),
    forgetHeld: () => gitSizes.forgetHeld(1),
  },
  gitObjects: {
    add: () => gitObjects.add(user.id, new Map([['oid', file.sha1]])),
    known: () => gitObjects.known(user.id, ['oid', 'another']),
    prune: () => gitObjects.prune({ ownerId: '', oid: '' }, 10),
  },
  webhooks: {
    add: () => webhooks.add(webhook),
    find: () => webhooks.find(user.id, webhook.id),
    byId: () => webhooks.byId(webhook.id),
    lock: () => webhooks.lock(webhook.id),
    list: () => webhooks.list(user.id),
    update: () => webhooks.update(webhook.id, { disabledAt: 1 }),
    remove: () => webhooks.remove(user.id, webhook.id),
  },
  deliveries: {
    add: () => deliveries.add(delivery),
    byId: () => deliveries.byId(delivery.id),
    list: () => deliveries.list(webhook.id, page),
    attempted: () => deliveries.attempted(delivery.id, { at: 1, ms: 1, status: 200, answer: '' }, 'failed'),
    prune: () => deliveries.prune(1, 10),
  },
  events: {
    emit: () =>
      events.emit({
        type: 'project.created',
        ownerId: user.id,
        userId: user.id,
        projectId: null,
        payload: {},
        at: 1,
      }),
  },
  dnsRecords: {
    // Of a domain that exists, because records are gone with theirs.
    add: async () => {
      await domains.add(recordedDomain)
      await dnsRecords.add(record)
    },
    countChange: () => dnsRecords.countChange('example.com'),
    locate: () => dnsRecords.locate(user.id, record.id),
    list: () => dnsRecords.list(record.domainId),
    remove: () => dnsRecords.remove(record.domainId, record.id),
  },
  orders: {
    begin: () => orders.begin(order),
    find: () => orders.find(order.name),
    update: () => orders.update(order.name, order.key, { state: 'paid' }),
    inState: () => orders.inState('paid', 2e12, 10),
    cancel: () => orders.cancel(order.name, order.key),
  },
  secrets: {
    insert: () => secrets.insert(secret, 'sealed'),
    byName: () => secrets.byName(user.id, secret.name),
    list: () => secrets.list(user.id, page),
    lock: async () => {
      await secrets.lock(user.id, { id: secret.id })
      await secrets.lock(user.id, { name: secret.name })
    },
    rename: () => secrets.rename(user.id, secret.id, 'renamed'),
    delete: () => secrets.delete(user.id, secret.id),
    names: () => secrets.names(user.id, [secret.id, 'another']),
    resolve: () => secrets.resolve(user.id, [secret.id, 'a-name']),
  },
  envVariables: {
    // Of a project that exists, because variables are gone with theirs.
    save: async () => {
      await projects.insert(project)
      await envVariables.save(variable)
      await envVariables.save(variable)
    },
    list: () => envVariables.list(project.id),
    ofSecret: () => envVariables.ofSecret(user.id, secret.id),
    delete: () => envVariables.delete(variable.id),
    deleteOf: () => envVariables.deleteOf(installation.id),
  },
  projectDomains: {
    add: () => projectDomains.add(projectDomain),
    find: () => projectDomains.find(project.id, projectDomain.name),
    holders: () => projectDomains.holders(projectDomain.name),
    list: async () => {
      await projectDomains.list(project.id, page, { order: 'DESC' })
      await projectDomains.list(project.id, page, { order: 'ASC' })
      await projectDomains.list(project.id, page, {
        order: 'DESC',
        redirects: false,
        redirect: 'x',
        verified: true,
        gitBranch: 'x',
        customEnvironmentId: 'x',
        production: true,
      })
    },
    ofProject: () => projectDomains.ofProject(project.id),
    inApex: () => projectDomains.inApex(user.id, projectDomain.apexName, '', 10),
    update: () => projectDomains.update(project.id, projectDomain.name, { verified: true, updatedAt: 2 }),
    remove: () => projectDomains.remove(project.id, projectDomain.name),
  },
  files: {
    add: () => files.add(user.id, [file], 1, 1e12),
    share: () => files.share(user.id, [file], 1),
    claim: () => files.claim(user.id, [file.sha1], 2e12),
    keep: () => files.keep(user.id, [file.sha1], 2e12),
    claimEach: () => files.claimEach(user.id, [file.sha1], 2e12),
    stale: () => files.stale(2e12, 10),
    forget: () => files.forget(user.id, [file.sha1], 1),
    addDamaged: () => files.addDamaged(file.sha256, 1),
    countDamaged: () => files.countDamaged(),
    known: () => files.known([file.sha256]),
  },
  projects: {
    insert: () => projects.insert(project),
    byIdOrName: async () => {
      await projects.byIdOrName(user.id, project.id)
      await projects.byIdOrName(user.id, project.name)
    },
    byId: () => projects.byId(project.id),
    touch: () => projects.touch(user.id, project.id, 1),
    byTransferHash: () => projects.byTransferHash('hash'),
    setTransferHash: () => projects.setTransferHash(project.id, 'hash'),
    states: () => projects.states(project),
    give: () => projects.give(project, { ownerId: 'another', name: 'given' }),
    setDefaultHost: () => projects.setDefaultHost(project.id, 'a.aloft.test'),
    list: async () => {
      await projects.list(user.id, page, {})
      await projects.list(user.id, page, { ids: ['x', 'y'] })
      await projects.list(user.id, page, { search: 'x' })
      await projects.list(user.id, page, { repos: ['x'], notRepos: ['y'], repoNumber: 1 })
      await projects.list(user.id, page, { search: 'x', gitForkProtection: true })
    },
    lock: () => projects.lock(user.id, project.id),
    update: () => projects.update(project.id, { ...project, name: 'renamed' }, 1),
    hostsOf: () => projects.hostsOf(project.id, 10),
    countAliases: () => projects.countAliases(project.id),
    deploymentsOf: () => projects.deploymentsOf(user.id, [project.id, 'another'], 5),
    namesOf: () => projects.namesOf([deployment, { id: 'another', creatorId: 'another' }]),
    delete: () => projects.delete(project.id),
  },
  deployments: {
    pack: async () => {
      // It asks the database for nothing by itself.
      await deployments.pack(content.manifest)
      await deployments.manifest(deployment.id)
    },
    insert: async () => {
      await deployments.insert(deployment, { ...content, packed: await deployments.pack(content.manifest) })
      await deployments.insert(begun, { ...content, manifest: [{ ...entry, sha256: '' }] })
    },
    wasDeleted: () => deployments.wasDeleted(deployment.ownerId, deployment.id),
    find: async () => {
      await deployments.find(deployment.id)
      await deployments.find('a.aloft.test')
    },
    list: async () => {
      for (const filter of FILTERS) await deployments.list(user.id, page, filter)
    },
    findAll: () => deployments.findAll([deployment.id, 'dpl_another']),
    newestSame: () => deployments.newestSame(user.id, deployment.digest),
    manifest: () => deployments.manifest(deployment.id),
    sealedEnv: () => deployments.sealedEnv(deployment.id),
    missing: () => deployments.missing(begun.id),
    update: () => deployments.update(deployment.id, { state: 'READY', stateAt: 1 }),
    advance: () => deployments.advance(begun.id, { stateAt: 1 }),
    completable: () => deployments.completable(user.id),
    complete: () => deployments.complete(begun.id, [entry]),
    keptRunning: () => deployments.keptRunning(),
    abandoned: () => deployments.abandoned(2e12, 10),
    withoutJob: () => deployments.withoutJob('build:', 10),
    referenced: () => deployments.referenced(user.id, [entry.sha1, 'another']),
    delete: () => deployments.delete(begun.id, 1),
  },
  outputs: {
    save: async () => {
      await outputs.save(deployment.id, output)
      await outputs.save(deployment.id, output)
    },
    find: () => outputs.find(deployment.id),
    code: () => outputs.code(deployment.id),
  },
  previews: {
    save: async () => {
      await previews.save({ deploymentId: deployment.id, madeAt: 1, image: null })
      await previews.save({ deploymentId: deployment.id, madeAt: 1, image: null })
    },
    find: () => previews.find(deployment.id),
  },
  instances: {
    add: () => instances.add(instance),
    ofDeployment: () => instances.ofDeployment(deployment.id),
    ofOwner: () => instances.ofOwner(user.id, 'another'),
    counts: () => instances.counts([deployment.id, 'another']),
    remove: () => instances.remove(instance.id),
    clear: () => instances.clear(instance.worker),
  },
  domains: {
    add: () => domains.add(domain),
    find: () => domains.find(user.id, domain.name),
    covering: () => domains.covering(user.id, `a.b.${domain.name}`),
    verifiedCovering: () => domains.verifiedCovering(`a.b.${domain.name}`),
    hold: () => domains.hold(`a.b.${domain.name}`),
    lock: () => domains.lock(domain.id),
    list: () => domains.list(user.id, page),
    update: () => domains.update(domain.id, { checkedAt: 1 }),
    unverified: () => domains.unverified(2e12, 1, 10),
    verified: () => domains.verified(2e12, 10),
    touch: () => domains.touch([domain.id], 1),
    removeOthers: () => domains.removeOthers(domain.name, domain.id),
    remove: () => domains.remove(domain.id),
  },
  certificates: {
    add: () => certificates.add(certificate),
    replace: () => certificates.replace(certificate.id, certificate),
    find: () => certificates.find(user.id, certificate.id),
    withNames: () => certificates.withNames(user.id, certificate.names),
    forHost: () => certificates.forHost('www.example.com'),
    inDomain: () => certificates.inDomain(user.id, 'example.com'),
    list: () => certificates.list(user.id, page),
    toRenew: () => certificates.toRenew(2e12, 10),
    endingBefore: () => certificates.endingBefore(2e12),
    postpone: () => certificates.postpone(certificate.id, 1),
    remove: () => certificates.remove(user.id, certificate.id),
  },
  certificateAttempts: {
    find: () => certificateAttempts.find('a.example.com'),
    save: () => certificateAttempts.save(attempt),
    begin: () => certificateAttempts.begin(attempt, attempt),
    count: () => certificateAttempts.count('example.com', 1, 10),
    remove: () => certificateAttempts.remove('a.example.com'),
    due: () => certificateAttempts.due(3, 10),
    aliasesAfter: () => certificateAttempts.aliasesAfter({ createdAt: 1, host: 'a' }, 10),
    domainsAfter: () => certificateAttempts.domainsAfter({ createdAt: 1, host: 'a' }, 10),
    prune: () => certificateAttempts.prune(1),
  },
  challenges: {
    put: () => challenges.put(challenge),
    find: () => challenges.find('dns-01', challenge.host, 1),
    remove: () => challenges.remove(challenge),
    prune: () => challenges.prune(1),
  },
  hosts: {
    claimForDeployment: () => hosts.claimForDeployment('a.aloft.test', deployment),
    claimAlias: () => hosts.claimAlias(alias),
    holder: () => hosts.holder(alias.host),
    alias: async () => {
      await hosts.alias(user.id, alias.id)
      await hosts.alias(user.id, alias.host)
    },
    point: () => hosts.point(alias.host, deployment.id, alias),
    list: async () => {
      await hosts.list(user.id, page, {})
      await hosts.list(user.id, page, { projectId: 'x' })
      await hosts.list(user.id, page, { projectId: ['x', 'y'] })
      await hosts.list(user.id, page, { domain: 'aloft.test' })
      await hosts.list(user.id, page, { domain: 'aloft.test', projectId: 'x' })
    },
    ofDeployment: () => hosts.ofDeployment(deployment.id),
    inProduction: () => hosts.inProduction(project.id),
    release: () => hosts.release(alias.host),
  },
})

/** What is said of contents in an object store, which are in no other store. */
export function contentIndexCalls(index: ContentIndex): {
  readonly [M in keyof ContentIndex]: () => Promise<unknown>
} {
  const object = { key: 'packs/a', size: 124 }
  const next = { key: 'packs/b', size: 62 }
  const content = { sha256: 'a'.repeat(64), start: 52, size: 10, putAt: 1 }
  return {
    noteUpload: () => index.noteUpload('packs/a', 1),
    add: () => index.add(object, [content, { ...content, sha256: 'b'.repeat(64) }]),
    touch: () => index.touch([content.sha256], 2),
    find: () => index.find([content.sha256]),
    page: () => index.page('', 10),
    contentsOf: () => index.contentsOf('packs/a'),
    wasteful: () => index.wasteful(10),
    async move() {
      await index.noteUpload('packs/b', 3)
      await index.move('packs/a', next, [{ ...content, object: 'packs/b' }], 3)
    },
    removeAt: () => index.removeAt({ sha256: 'b'.repeat(64), object: 'packs/a', start: 52 }, 4),
    remove: () => index.remove([content.sha256], 4, 4),
    removable: () => index.removable(5, 5, 0, 10),
    bytes: () => index.bytes(),
    forget: () => index.forget('packs/a'),
  }
}
