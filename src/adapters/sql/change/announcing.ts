import type { HostStore } from '#core/alias/host-store.ts'
import type { ApplicationStore } from '#core/application/application-store.ts'
import type { AuditStore } from '#core/audit/audit-store.ts'
import type { CertificateStore } from '#core/certificate/certificate-store.ts'
import type { OwnedChange } from '#core/change/change.ts'
import type { CronStore } from '#core/cron/cron-store.ts'
import type { DeploymentStore } from '#core/deployment/deployment-store.ts'
import type { DnsRecordStore } from '#core/dns-record/dns-record-store.ts'
import type { DomainStore } from '#core/domain/domain-store.ts'
import type { DrainStore } from '#core/drain/drain-store.ts'
import type { EnvVariableStore } from '#core/env-variable/env-variable-store.ts'
import type { ConnectionStore } from '#core/git/host/connection.ts'
import type { PushStore } from '#core/git/push/push-store.ts'
import type { InstallationStore } from '#core/installation/installation-store.ts'
import type { PreviewStore } from '#core/preview/preview.ts'
import type { ProjectStore } from '#core/project/project-store.ts'
import type { ProjectDomainStore } from '#core/project-domain/project-domain-store.ts'
import type { OrderStore } from '#core/registrar/order.ts'
import type { SecretStore } from '#core/secret/secret-store.ts'
import type { SessionStore } from '#core/session/session-store.ts'
import type { SshKeyStore } from '#core/ssh-key/ssh-key-store.ts'
import type { InvitationStore } from '#core/team/invitation.ts'
import type { TeamStore } from '#core/team/team-store.ts'
import type { TokenStore } from '#core/token/token-store.ts'
import type { UserStore } from '#core/user/user-store.ts'
import type { DeliveryStore, WebhookStore } from '#core/webhook/webhook-store.ts'
import { prepare } from '../database/prepare.ts'
import type { Db } from '../tables.ts'

type ChangeOwner = Omit<OwnedChange, 'kind'>

const deploymentById = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('deployments').select(['owner_id', 'project_id', 'id']).where('id', '=', id),
)
const projectById = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('projects').select(['owner_id', 'id', 'id as project_id']).where('id', '=', id),
)
const aliasByHost = prepare<{ host: string }>()((db, { host }) =>
  db.selectFrom('hosts').select(['owner_id', 'project_id', 'alias_id as id']).where('host', '=', host),
)
const variables = (db: Db) =>
  db
    .selectFrom('env_variables')
    .innerJoin('projects', 'projects.id', 'env_variables.project_id')
    .select(['projects.owner_id', 'env_variables.project_id', 'env_variables.id'])
const variableById = prepare<{ id: string }>()((db, { id }) =>
  variables(db).where('env_variables.id', '=', id),
)
const variablesOf = prepare<{ configurationId: string }>()((db, { configurationId }) =>
  variables(db).where('env_variables.configuration_id', '=', configurationId),
)
const projectDomain = prepare<{ projectId: string; name: string }>()((db, { projectId, name }) =>
  db
    .selectFrom('project_domains')
    .select(['owner_id', 'project_id', 'name as id'])
    .where('project_id', '=', projectId)
    .where('name', '=', name),
)
const domainById = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('domains').select(['owner_id', 'name as id']).where('id', '=', id),
)
const orderOf = prepare<{ name: string }>()((db, { name }) =>
  db.selectFrom('orders').select(['owner_id', 'name as id']).where('key', '=', name),
)
const certificateById = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('certificates').select(['owner_id', 'id']).where('id', '=', id),
)
const applicationById = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('applications').select(['owner_id', 'id']).where('id', '=', id),
)
const installationById = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('installations').select(['owner_id', 'id']).where('id', '=', id),
)
const webhookById = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('webhooks').select(['owner_id', 'id']).where('id', '=', id),
)
const deliveryById = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('deliveries').select(['owner_id', 'id']).where('id', '=', id),
)
const pushById = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('git_pushes').select(['owner_id', 'project_id', 'id']).where('id', '=', id),
)
const connectionById = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('git_connections').select(['owner_id', 'id']).where('id', '=', id),
)
const drainById = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('drains').select(['owner_id', 'id']).where('id', '=', id),
)

const cronById = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('crons').select(['owner_id', 'project_id', 'id']).where('id', '=', id),
)
const cronOfRun = prepare<{ id: string }>()((db, { id }) =>
  db
    .selectFrom('crons')
    .innerJoin('cron_runs', 'cron_runs.cron_id', 'crons.id')
    .select(['crons.owner_id', 'crons.project_id', 'crons.id'])
    .where('cron_runs.id', '=', id),
)

interface Row {
  readonly owner_id: string
  readonly id: string | null
  readonly project_id?: string | null
}

/** What was found under a kind. Nothing is told of what is not there. */
const found = (kind: OwnedChange['kind'], rows: readonly Row[]): readonly OwnedChange[] =>
  rows.map(({ owner_id: ownerId, id, project_id: projectId }) => ({
    kind,
    ownerId,
    ...(id === null ? {} : { id }),
    ...(projectId === undefined || projectId === null ? {} : { projectId }),
  }))

const one = (kind: OwnedChange['kind'], { ownerId, id, projectId }: ChangeOwner): readonly OwnedChange[] => [
  {
    kind,
    ownerId,
    ...(id === undefined ? {} : { id }),
    ...(projectId === undefined ? {} : { projectId }),
  },
]

/** Everything that goes with a project to another account. */
const given = (ownerId: string, projectId: string): readonly OwnedChange[] => [
  ...one('project', { ownerId, id: projectId, projectId }),
  ...(['deployment', 'alias', 'env', 'project-domain', 'cron'] as const).flatMap((kind) =>
    one(kind, { ownerId, projectId }),
  ),
]

/** What concerns the members of a team, and the one who is or was among them. */
const membership = (teamId: string, userId: string): readonly OwnedChange[] => [
  ...one('member', { ownerId: teamId, id: userId }),
  ...one('team', { ownerId: userId, id: teamId }),
]

/**
 * One place that knows which write changes what for whom. Whose it is, is asked before the write, which may delete it;
 * it is told after the write, unless that has answered false.
 */
export function createAnnouncing(db: Db, tell: (changes: readonly OwnedChange[]) => void) {
  const announcing =
    <Args extends readonly unknown[], Answer>(
      write: (...args: Args) => Promise<Answer>,
      changed: (...args: Args) => readonly OwnedChange[] | Promise<readonly OwnedChange[]>,
    ) =>
    async (...args: Args): Promise<Answer> => {
      const changes = await changed(...args)
      const answer = await write(...args)
      if (answer !== false) tell(changes)
      return answer
    }

  /** Those that this transaction has made are known. */
  const made = new Map<string, readonly OwnedChange[]>()
  const making = (deployment: ChangeOwner & { readonly id: string }) => {
    const changes = one('deployment', deployment)
    if (db.isTransaction) made.set(deployment.id, changes)
    return changes
  }
  const deployment = async (id: string) =>
    made.get(id) ?? found('deployment', await deploymentById(db, { id }))
  const project = async (id: string) => found('project', await projectById(db, { id }))
  const alias = async (host: string) => found('alias', await aliasByHost(db, { host }))
  const domain = async (id: string) => found('domain', await domainById(db, { id }))
  const order = async (name: string) => found('domain', await orderOf(db, { name }))
  const cron = async (id: string) => found('cron', await cronById(db, { id }))
  const application = async (id: string) => found('application', await applicationById(db, { id }))
  const installation = async (id: string) => found('integration', await installationById(db, { id }))
  const recordsOf = async (domainId: string, id: string) =>
    (await domainById(db, { id: domainId })).flatMap(({ owner_id: ownerId }) =>
      one('dns-record', { ownerId, id }),
    )
  const domainOf = async (projectId: string, name: string) =>
    found('project-domain', await projectDomain(db, { projectId, name }))

  return {
    users: (store: UserStore): UserStore => ({
      ...store,
      update: announcing(store.update, (id) => one('user', { ownerId: id, id })),
    }),
    teams: (store: TeamStore): TeamStore => ({
      ...store,
      insert: announcing(store.insert, (team, userId) => membership(team.id, userId)),
      update: announcing(store.update, (id) => one('team', { ownerId: id, id })),
      addMember: announcing(store.addMember, membership),
      setRole: announcing(store.setRole, membership),
      removeMember: announcing(store.removeMember, membership),
    }),
    invitations: (store: InvitationStore): InvitationStore => ({
      ...store,
      add: announcing(store.add, ({ teamId, id }) => one('member', { ownerId: teamId, id })),
      take: announcing(store.take, (teamId, id) => one('member', { ownerId: teamId, id })),
    }),
    tokens: (store: TokenStore): TokenStore => ({
      ...store,
      insert: announcing(store.insert, ({ userId, id }) => one('token', { ownerId: userId, id })),
      delete: announcing(store.delete, (userId, id) => one('token', { ownerId: userId, id })),
    }),
    sshKeys: (store: SshKeyStore): SshKeyStore => ({
      ...store,
      add: announcing(store.add, ({ userId }) => one('user', { ownerId: userId, id: userId })),
      delete: announcing(store.delete, (userId) => one('user', { ownerId: userId, id: userId })),
    }),
    sessions: (store: SessionStore): SessionStore => ({
      ...store,
      insert: announcing(store.insert, ({ userId, id }) => one('session', { ownerId: userId, id })),
      delete: announcing(store.delete, (userId, id) => one('session', { ownerId: userId, id })),
      deleteOthers: announcing(store.deleteOthers, (userId) => one('session', { ownerId: userId })),
    }),
    secrets: (store: SecretStore): SecretStore => ({
      ...store,
      insert: announcing(store.insert, (secret) => one('secret', secret)),
      rename: announcing(store.rename, (ownerId, id) => one('secret', { ownerId, id })),
      delete: announcing(store.delete, (ownerId, id) => one('secret', { ownerId, id })),
    }),
    projects: (store: ProjectStore): ProjectStore => ({
      ...store,
      insert: announcing(store.insert, ({ ownerId, id }) => one('project', { ownerId, id, projectId: id })),
      touch: announcing(store.touch, (ownerId, id) => one('project', { ownerId, id, projectId: id })),
      setDefaultHost: announcing(store.setDefaultHost, project),
      update: announcing(store.update, project),
      delete: announcing(store.delete, project),
      setTransferHash: announcing(store.setTransferHash, project),
      give: announcing(store.give, ({ id, ownerId }, to) => [
        ...given(ownerId, id),
        ...given(to.ownerId, id),
      ]),
    }),
    envVariables: (store: EnvVariableStore): EnvVariableStore => ({
      ...store,
      save: announcing(store.save, async ({ id, projectId }) =>
        (await projectById(db, { id: projectId })).flatMap(({ owner_id: ownerId }) =>
          one('env', { ownerId, id, projectId }),
        ),
      ),
      delete: announcing(store.delete, async (id) => found('env', await variableById(db, { id }))),
      deleteOf: announcing(store.deleteOf, async (configurationId) =>
        found('env', await variablesOf(db, { configurationId })),
      ),
    }),
    projectDomains: (store: ProjectDomainStore): ProjectDomainStore => ({
      ...store,
      add: announcing(store.add, ({ ownerId, name, projectId }) =>
        one('project-domain', { ownerId, id: name, projectId }),
      ),
      update: announcing(store.update, domainOf),
      remove: announcing(store.remove, domainOf),
    }),
    hosts: (store: HostStore): HostStore => ({
      ...store,
      claimAlias: announcing(store.claimAlias, (made) => one('alias', made)),
      point: announcing(store.point, alias),
      release: announcing(store.release, alias),
    }),
    deployments: (store: DeploymentStore): DeploymentStore => ({
      ...store,
      insert: announcing(store.insert, making),
      update: announcing(store.update, deployment),
      advance: announcing(store.advance, deployment),
      delete: announcing(store.delete, deployment),
      complete: announcing(store.complete, deployment),
    }),
    previews: (store: PreviewStore): PreviewStore => ({
      ...store,
      save: announcing(store.save, ({ deploymentId }) => deployment(deploymentId)),
    }),
    dnsRecords: (store: DnsRecordStore): DnsRecordStore => ({
      ...store,
      add: announcing(store.add, ({ domainId, id }) => recordsOf(domainId, id)),
      remove: announcing(store.remove, recordsOf),
    }),
    orders: (store: OrderStore): OrderStore => ({
      ...store,
      begin: announcing(store.begin, ({ ownerId, name }) => one('domain', { ownerId, id: name })),
      update: announcing(store.update, order),
      cancel: announcing(store.cancel, order),
    }),
    certificates: (store: CertificateStore): CertificateStore => ({
      ...store,
      add: announcing(store.add, ({ ownerId, id }) => one('certificate', { ownerId, id })),
      replace: announcing(store.replace, async (id) =>
        found('certificate', await certificateById(db, { id })),
      ),
      remove: announcing(store.remove, (ownerId, id) => one('certificate', { ownerId, id })),
    }),
    domains: (store: DomainStore): DomainStore => ({
      ...store,
      add: announcing(store.add, ({ ownerId, name }) => one('domain', { ownerId, id: name })),
      update: announcing(store.update, domain),
      remove: announcing(store.remove, domain),
      async removeOthers(name, keptId) {
        const removed = await store.removeOthers(name, keptId)
        tell(removed.flatMap(({ ownerId }) => one('domain', { ownerId, id: name })))
        return removed
      },
    }),
    applications: (store: ApplicationStore): ApplicationStore => ({
      ...store,
      add: announcing(store.add, ({ ownerId, id }) => one('application', { ownerId, id })),
      update: announcing(store.update, application),
      retire: announcing(store.retire, application),
      remove: announcing(store.remove, application),
    }),
    installations: (store: InstallationStore): InstallationStore => ({
      ...store,
      add: announcing(store.add, ({ ownerId, id }) => one('integration', { ownerId, id })),
      update: announcing(store.update, installation),
      remove: announcing(store.remove, installation),
    }),
    webhooks: (store: WebhookStore): WebhookStore => ({
      ...store,
      add: announcing(store.add, ({ ownerId, id }) => one('webhook', { ownerId, id })),
      update: announcing(store.update, async (id) => found('webhook', await webhookById(db, { id }))),
      remove: announcing(store.remove, (ownerId, id) => one('webhook', { ownerId, id })),
    }),
    deliveries: (store: DeliveryStore): DeliveryStore => ({
      ...store,
      add: announcing(store.add, ({ ownerId, id }) => one('delivery', { ownerId, id })),
      attempted: announcing(store.attempted, async (id) => found('delivery', await deliveryById(db, { id }))),
    }),
    crons: (store: CronStore): CronStore => ({
      ...store,
      insert: announcing(store.insert, ({ ownerId, id, projectId }) =>
        one('cron', { ownerId, id, projectId }),
      ),
      update: announcing(store.update, cron),
      remove: announcing(store.remove, cron),
      insertRun: announcing(store.insertRun, ({ cronId }) => cron(cronId)),
      updateRun: announcing(store.updateRun, async (id) => found('cron', await cronOfRun(db, { id }))),
    }),
    drains: (store: DrainStore): DrainStore => ({
      ...store,
      add: announcing(store.add, ({ ownerId, id }) => one('drain', { ownerId, id })),
      update: announcing(store.update, async (id) => found('drain', await drainById(db, { id }))),
      giveUp: announcing(store.giveUp, async (id) => found('drain', await drainById(db, { id }))),
      remove: announcing(store.remove, (ownerId, id) => one('drain', { ownerId, id })),
    }),
    pushes: (store: PushStore): PushStore => ({
      ...store,
      add: announcing(store.add, ({ ownerId, id, projectId }) => one('push', { ownerId, id, projectId })),
      update: announcing(store.update, async (id) => found('push', await pushById(db, { id }))),
    }),
    connections: (store: ConnectionStore): ConnectionStore => ({
      ...store,
      add: announcing(store.add, ({ ownerId, id }) => one('git-connection', { ownerId, id })),
      update: announcing(store.update, async (id) =>
        found('git-connection', await connectionById(db, { id })),
      ),
      remove: announcing(store.remove, (ownerId, id) => one('git-connection', { ownerId, id })),
    }),
    audit: (store: AuditStore): AuditStore => ({
      ...store,
      add: announcing(store.add, ({ ownerId, id }) => one('audit', { ownerId, id })),
    }),
  }
}
