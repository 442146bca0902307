import type { Generated, Kysely } from 'kysely'
import type { ReadyState } from '#contract/api/deployment.ts'
import type { RecordType } from '#contract/api/dns-record.ts'
import type { EnvType } from '#contract/api/env-variable.ts'
import type { Role } from '#contract/api/team.ts'
import type { Plan } from '#contract/limit/limits.ts'
import type { Certificate } from '#core/certificate/certificate.ts'
import type { Challenge } from '#core/certificate/challenge.ts'
import type { Cron, CronRun } from '#core/cron/cron.ts'
import type { Drain } from '#core/drain/drain.ts'
import type { EventType } from '#core/event/event.ts'
import type { Pull } from '#core/git/pull/pull.ts'
import type { PushState } from '#core/git/push/push.ts'
import type { SharedKind } from '#core/shared/shared-thing-store.ts'
import type { TokenKind } from '#core/token/token.ts'
import type { MeteredUsage } from '#core/usage/usage-store.ts'
import type { Delivery, DeliveryTarget } from '#core/webhook/webhook.ts'

/** Only types that both databases store alike: text, whole numbers, and JSON as text. Times are ms. */
export type Flag = 0 | 1

export interface Tables {
  readonly handles: HandleTable
  readonly users: UserTable
  readonly teams: TeamTable
  readonly team_members: TeamMemberTable
  readonly tokens: TokenTable
  readonly ssh_keys: SshKeyTable
  readonly logins: LoginTable
  readonly invitations: InvitationTable
  readonly settings: SettingTable
  readonly jobs: JobTable
  readonly secrets: SecretTable
  readonly files: FileTable
  readonly damaged_contents: { sha256: string; found_at: number }
  readonly contents: ContentTable
  readonly content_objects: ContentObjectTable
  readonly machines: MachineTable
  readonly removed_machines: RemovedMachineTable
  readonly shared_things: SharedThingTable
  readonly shared_contents: SharedContentTable
  readonly revalidations: RevalidationTable
  readonly projects: ProjectTable
  readonly env_variables: EnvVariableTable
  readonly hosts: HostTable
  readonly alias_lists: AliasListTable
  readonly deployments: DeploymentTable
  readonly manifests: ManifestTable
  readonly deployment_meta: DeploymentMetaTable
  readonly awaited_files: AwaitedFileTable
  readonly outputs: OutputTable
  readonly previews: PreviewTable
  readonly instances: InstanceTable
  readonly domains: DomainTable
  readonly dns_records: DnsRecordTable
  readonly certificates: CertificateTable
  readonly certificate_names: CertificateNameTable
  readonly certificate_domains: CertificateDomainTable
  readonly certificate_attempts: AttemptTable
  readonly challenges: ChallengeTable
  readonly project_domains: ProjectDomainTable
  readonly sessions: SessionTable
  readonly sso_passes: SsoPassTable
  readonly registry_names: RegistryNameTable
  readonly orders: OrderTable
  readonly zone_changes: ZoneChangeTable
  readonly applications: ApplicationTable
  readonly installations: InstallationTable
  readonly oauth_codes: OauthCodeTable
  readonly webhooks: WebhookTable
  readonly deliveries: DeliveryTable
  readonly git_pushes: GitPushTable
  readonly git_objects: GitObjectTable
  readonly git_sizes: GitSizeTable
  readonly git_sources: GitSourceTable
  readonly git_deliveries: GitDeliveryTable
  readonly git_pulls: GitPullTable
  readonly git_connections: GitConnectionTable
  readonly git_apps: GitConnectionTable
  readonly drains: DrainTable
  readonly drain_cursors: DrainCursorTable
  readonly crons: CronTable
  readonly cron_runs: CronRunTable
  readonly audit: AuditTable
  readonly usage: UsageTable
}

export type Db = Kysely<Tables>

/** The names that users and teams share: whoever holds the row holds the name. */
interface HandleTable {
  handle: string
  account_id: string
}

export interface UserTable {
  id: string
  email: string
  username: string
  name: string | null
  avatar: string | null
  plan: Plan
  soft_blocked: Flag
  operator: Flag
  created_at: number
}

export interface TeamTable {
  id: string
  slug: string
  name: string
  creator_id: string
  avatar: string | null
  plan: Plan
  soft_blocked: Flag
  members_may_edit_production: Flag
  created_at: number
}

interface TeamMemberTable {
  team_id: string
  user_id: string
  role: Role
  created_at: number
  /** A copy that never changes, so that one index holds a user's teams in their order. */
  team_created_at: number
}

interface TokenTable {
  id: string
  hash: string
  user_id: string
  name: string
  kind: TokenKind
  created_at: number
  active_at: number
  expires_at: number | null
  /** The installation of an integration that it is for. */
  installation_id: Generated<string | null>
}

interface SshKeyTable {
  id: string
  user_id: string
  fingerprint: string
  name: string
  public_key: string
  created_at: number
  used_at: number | null
}

interface LoginTable {
  id: string
  poll_hash: string
  link_hash: string
  email: string
  token_name: string
  security_code: string
  ip: string
  user_agent: string
  created_at: number
  expires_at: number
  accepted_at: number | null
}

interface InvitationTable {
  id: string
  hash: string
  team_id: string
  email: string
  role: string
  inviter_id: string
  created_at: number
  expires_at: number
}

interface SettingTable {
  key: string
  value: string
}

interface JobTable {
  id: string
  kind: string
  payload: string
  key: string | null
  /** Whose work it is, where many wait for the same few workers. */
  share: string | null
  created_at: number
  run_at: number
  /** When it can be claimed next: `run_at` while it waits, the end of the lease while it runs. */
  due_at: number
  attempts: number
  /** Who holds the lease; null while the job waits. */
  worker: string | null
  error: string | null
  /** Set once the job was given up. */
  failed_at: number | null
}

export interface SecretTable {
  id: string
  /** A user or a team. */
  owner_id: string
  name: string
  sealed: string
  creator_id: string
  created_at: number
}

/** Where each content is in an object store. */
interface ContentTable {
  readonly sha256: string
  readonly object: string
  readonly start: number
  readonly size: number
  readonly put_at: number
}

interface ContentObjectTable {
  readonly key: string
  readonly size: number
  /** What the contents in use take of it. */
  readonly live: number
  readonly state: 'uploading' | 'ready' | 'unused' | 'suspect'
  /** When the upload began, or since when it is unused. */
  readonly since: number
}

interface MachineTable {
  readonly name: string
  readonly role: 'serve' | 'work'
  readonly version: string
  readonly origin: string
  readonly address: string | null
  /** JSON: load, memory, disk. */
  readonly facts: string
  readonly started_at: number
  readonly heard_at: number
  readonly is_draining: Flag
}

interface RemovedMachineTable {
  readonly name: string
  readonly removed_at: number
}

interface SharedThingTable {
  readonly kind: SharedKind
  readonly name: string
  readonly version: number
  readonly details: string
  readonly used_at: number
}

interface SharedContentTable {
  readonly kind: SharedKind
  readonly name: string
  readonly path: string
  readonly sha256: string
  readonly size: number
}

/** The last of each tag, of both kinds. */
interface RevalidationTable {
  readonly deployment_id: string
  readonly tag: string
  /** Whether visitors may be given what was made before, for `expire` seconds. */
  readonly is_soft: Flag
  readonly at: number
  readonly expire: number | null
}

interface FileTable {
  owner_id: string
  sha1: string
  sha256: string
  size: number
  used_at: number
}

export interface ProjectTable {
  id: string
  owner_id: string
  name: string
  default_host: string | null
  directory_listing: Flag
  /** Settings as JSON; null while none was ever changed. */
  build: string | null
  /** Everything that nothing is looked up by, as JSON; null while none was ever changed. */
  details: string | null
  /** What its link is looked up by. */
  repo: string | null
  repo_number: number | null
  git_fork_protection: Generated<Flag>
  /** Of the code with which another account may take it over. */
  transfer_hash: Generated<string | null>
  created_at: number
  updated_at: number
}

export interface EnvVariableTable {
  id: string
  project_id: string
  key: string
  type: EnvType
  /** The installation that it belongs to. */
  configuration_id: Generated<string | null>
  /** Everything that nothing is looked up by, as JSON. */
  details: string
  created_at: number
  /** Sealed where the type asks for it. */
  value: string
}

export interface HostTable {
  host: string
  owner_id: string
  project_id: string
  deployment_id: string
  /** Null for the host of a deployment itself. */
  alias_id: string | null
  production: Flag
  created_at: number
}

/** Where an alias can be found in its place by age, while the deployment it points to lives. */
interface AliasListTable {
  owner_id: string
  list: string
  created_at: number
  alias_id: string
}

export interface DeploymentTable {
  id: string
  owner_id: string
  project_id: string
  creator_id: string
  name: string
  host: string | null
  state: ReadyState
  /** `production`, `staging`, or the id of a custom environment. */
  target: string | null
  digest: string
  public: Flag
  incomplete: Flag
  created_at: number
  /** Set once it was deleted: the row stays, so that its host can say what became of it. */
  deleted_at: number | null
  /** Everything that nothing is looked up by, as JSON. */
  details: string
  sealed_env: string
  /** Of its scale: those that always run are looked for when a machine starts. */
  min_instances: Generated<number>
}

/** Present while the deployment lives. */
interface ManifestTable {
  deployment_id: string
  /** In the order of the files, apart from them because few readers need both. */
  sha1s: string
  files: string
}

/** A deployment by one pair of its `meta`. */
interface DeploymentMetaTable {
  owner_id: string
  /** The hash of key and value: both can be longer than what an index holds. */
  pair: string
  created_at: number
  deployment_id: string
}

/** A file that a deployment needs and its account has not uploaded yet. */
interface AwaitedFileTable {
  owner_id: string
  sha1: string
  size: number
  deployment_id: string
}

/** What the build of a deployment left, present while the deployment lives. */
interface OutputTable {
  deployment_id: string
  /** Of everything it refers to. */
  sha1s: string
  /** Apart from the rest, and in the form of a manifest's, because they are most of it. */
  files: string
  rest: string
}

/** Present while the deployment lives; without an image where there was nothing to make one of. */
interface PreviewTable {
  deployment_id: string
  made_at: number
  kind: string | null
  type: string | null
  sha1: string | null
  sha256: string | null
  size: number
}

export interface InstanceTable {
  id: string
  deployment_id: string
  program: string
  worker: string
  started_at: number
  owner_id: string
  memory_mb: number
}

/** Entries that are added up. */
interface UsageTable {
  owner_id: string
  what: MeteredUsage
  /** A day, a month, or empty. */
  period: string
  amount: number
  /** 1 until it is added up with others. */
  fresh: Flag
}

export interface DomainTable {
  id: string
  owner_id: string
  name: string
  verified: Flag
  /** JSON: what nothing is looked up by. */
  details: string
  checked_at: number | null
  created_at: number
}

export interface DnsRecordTable {
  id: string
  domain_id: string
  type: RecordType
  name: string
  value: string
  slug: string
  creator_id: string
  created_at: number
  updated_at: number | null
}

export interface CertificateTable {
  id: string
  owner_id: string
  names: string
  /** Of the names: the same for the same set. */
  digest: string
  source: Certificate['source']
  auto_renew: Flag
  created_at: number
  expires_at: number
  renew_at: number | null
  cert: string
  sealed_key: string
}

/** Every name of every certificate, as a handshake looks them up. */
interface CertificateNameTable {
  name: string
  certificate_id: string
}

/** Every domain that a name of a certificate is in. */
interface CertificateDomainTable {
  owner_id: string
  domain: string
  certificate_id: string
}

interface AttemptTable {
  host: string
  domain: string
  failures: number
  at: number
  retry_at: number
  error: string | null
}

interface ChallengeTable {
  kind: Challenge['kind']
  host: string
  token: string
  value: string
  expires_at: number
}

export interface ProjectDomainTable {
  project_id: string
  owner_id: string
  name: string
  apex_name: string
  redirect: string | null
  redirect_status: number | null
  git_branch: string | null
  custom_environment_id: string | null
  verified: Flag
  challenge: string | null
  created_at: number
  updated_at: number
}

interface SessionTable {
  id: string
  hash: string
  user_id: string
  details: string
  created_at: number
  expires_at: number
}

interface SsoPassTable {
  hash: string
  host: string
  user_id: string
  expires_at: number
}

/** The names that the sandbox registrar has sold or moved. */
interface RegistryNameTable {
  name: string
  details: string
  created_at: number
}

/** What was ordered of the registrar, so that nothing is paid for twice. */
export interface OrderTable {
  key: string
  owner_id: string
  name: string
  state: string
  details: string
  created_at: number
}

export interface ApplicationTable {
  id: string
  owner_id: string
  slug: string
  client_id: string
  details: string
  sealed_secret: string
  created_at: number
  updated_at: number
}

export interface InstallationTable {
  id: string
  application_id: string
  owner_id: string
  user_id: string
  details: string
  disabled_at: number | null
  created_at: number
  updated_at: number
}

export interface OauthCodeTable {
  hash: string
  installation_id: string
  details: string
  used_at: number | null
  /** What it was exchanged for; taken back when it is used again. */
  token_id: string | null
  created_at: number
}

export interface WebhookTable {
  id: string
  owner_id: string
  details: string
  sealed_secret: string
  disabled_at: number | null
  created_at: number
}

export interface DeliveryTable {
  id: string
  event_id: string
  owner_id: string
  target_kind: DeliveryTarget['kind']
  target_id: string
  type: EventType
  body: string
  state: Delivery['state']
  attempts: string
  created_at: number
}

export interface CronTable {
  id: string
  owner_id: string
  project_id: string
  source: Cron['source']
  path: string
  schedule: string
  time_zone: string
  enabled: Flag
  overlap: Cron['overlap']
  make_up: Flag
  failures: number
  next_at: number | null
  created_at: number
  updated_at: number
}

export interface CronRunTable {
  id: string
  cron_id: string
  trigger_kind: CronRun['trigger']
  state: CronRun['state']
  due_at: number
  started_at: number | null
  ended_at: number | null
  status: number | null
  deployment_id: string | null
  request_id: string | null
  message: string | null
}

export interface GitPushTable {
  id: string
  owner_id: string
  project_id: string
  ref: string
  state: PushState
  deployment_id: string | null
  details: string
  created_at: number
}

export interface GitSourceTable {
  project_id: string
  details: string
  due_at: number
  connection_id: string | null
  repository: string | null
}

export interface GitPullTable {
  project_id: string
  number: number
  owner_id: string
  repository: string
  state: Pull['state']
  details: string
}

interface GitConnectionTable {
  id: string
  owner_id: string
  details: string
  created_at: number
}

interface GitDeliveryTable {
  project_id: string
  delivery: string
  created_at: number
}

interface GitObjectTable {
  owner_id: string
  oid: string
  sha1: string
}

interface GitSizeTable {
  project_id: string
  repository: string
  owner_id: string
  bytes: number
}

export interface DrainTable {
  id: string
  owner_id: string
  installation_id: string | null
  details: string
  status: Drain['status']
  failing_since: number | null
  created_at: number
}

interface DrainCursorTable {
  drain_id: string
  /** A serial of the log. */
  position: string
  gap: string | null
  worker: string | null
  lease_until: number
}

export interface AuditTable {
  id: string
  owner_id: string
  user_id: string
  action: string
  details: string
  created_at: number
}

/** How often what a name answers with was changed. */
interface ZoneChangeTable {
  zone: string
  count: number
}
