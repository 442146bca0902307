import type { AnnounceChanges } from '#core/change/change.ts'
import { createEventQueue } from '#core/event/event-queue.ts'
import type { JobStore } from '#core/job/job-queue.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { DeliveryStore } from '#core/webhook/webhook-store.ts'
import { createAccountStore } from './account/account-store.ts'
import { createInvitationStore } from './account/invitation-store.ts'
import { createLoginStore } from './account/login-store.ts'
import { createSecretStore } from './account/secret-store.ts'
import { createSessionStore } from './account/session-store.ts'
import { createSshKeyStore } from './account/ssh-key-store.ts'
import { createSsoPassStore } from './account/sso-pass-store.ts'
import { createTeamStore } from './account/team-store.ts'
import { createTokenStore } from './account/token-store.ts'
import { createUsageStore } from './account/usage-store.ts'
import { createUserStore } from './account/user-store.ts'
import { createAnnouncing } from './change/announcing.ts'
import { createAuditStore } from './change/audit-store.ts'
import { createLocks } from './database/locks.ts'
import { createSettingStore } from './database/setting-store.ts'
import { createDeploymentStore } from './deployment/deployment-store.ts'
import { createHostStore } from './deployment/host-store.ts'
import { createInstanceStore } from './deployment/instance-store.ts'
import { createOutputStore } from './deployment/output-store.ts'
import { createPreviewStore } from './deployment/preview-store.ts'
import { createRevalidationStore } from './deployment/revalidation-store.ts'
import { createAttemptStore } from './domain/certificate-attempt-store.ts'
import { createCertificateStore } from './domain/certificate-store.ts'
import { createChallengeStore } from './domain/challenge-store.ts'
import { createDnsRecordStore } from './domain/dns-record-store.ts'
import { createDomainStore } from './domain/domain-store.ts'
import { createOrderStore } from './domain/order-store.ts'
import { createProjectDomainStore } from './domain/project-domain-store.ts'
import { createFileStore } from './file/file-store.ts'
import { createSharedThingStore } from './file/shared-thing-store.ts'
import { createAppStore } from './git/app-store.ts'
import { createConnectionStore } from './git/connection-store.ts'
import { createGitObjectStore } from './git/git-object-store.ts'
import { createPullStore } from './git/pull-store.ts'
import { createPushStore } from './git/push-store.ts'
import { createRepositorySizeStore } from './git/repository-size-store.ts'
import { createSourceStore } from './git/source-store.ts'
import { createApplicationStore } from './integration/application-store.ts'
import { createDeliveryStore } from './integration/delivery-store.ts'
import { createDrainStore } from './integration/drain-store.ts'
import { createInstallationStore } from './integration/installation-store.ts'
import { createListenerStore } from './integration/listener-store.ts'
import { createOauthCodeStore } from './integration/oauth-code-store.ts'
import { createWebhookStore } from './integration/webhook-store.ts'
import { createJobStore } from './job/job-store.ts'
import { createMachineStore } from './machine/machine-store.ts'
import { createCronStore } from './project/cron-store.ts'
import { createEnvVariableStore } from './project/env-variable-store.ts'
import { createProjectStore } from './project/project-store.ts'
import type { Db } from './tables.ts'

export interface StoreParts {
  readonly clock: Clock
  /** Called when jobs were written for good: at once, or once the transaction that wrote them is over. */
  readonly onJobs?: (() => void) | undefined
  /** Called with what was changed for good: at once, or once the transaction is over. */
  readonly onChanges?: AnnounceChanges | undefined
  /** The address that links in events begin with. */
  readonly site?: string | undefined
  /** Frees something on a full disk; tells whether it could. */
  readonly makeRoom?: (() => Promise<boolean>) | undefined
}

/** What a store is made of. */
interface Making extends StoreParts {
  readonly db: Db
  readonly stores: { readonly jobs: JobStore; readonly deliveries: DeliveryStore }
}

/** How each store is made. */
const MAKE = {
  users: ({ db }) => createUserStore(db),
  teams: ({ db }) => createTeamStore(db),
  tokens: ({ db }) => createTokenStore(db),
  sshKeys: ({ db }) => createSshKeyStore(db),
  logins: ({ db }) => createLoginStore(db),
  invitations: ({ db }) => createInvitationStore(db),
  sessions: ({ db }) => createSessionStore(db),
  ssoPasses: ({ db }) => createSsoPassStore(db),
  settings: ({ db }) => createSettingStore(db),
  locks: ({ db }) => createLocks(db),
  jobs: ({ db, clock, onJobs }) => createJobStore(db, { clock, onEnqueue: onJobs }),
  accounts: ({ db }) => createAccountStore(db),
  secrets: ({ db }) => createSecretStore(db),
  files: ({ db }) => createFileStore(db),
  projects: ({ db }) => createProjectStore(db),
  envVariables: ({ db }) => createEnvVariableStore(db),
  projectDomains: ({ db }) => createProjectDomainStore(db),
  hosts: ({ db }) => createHostStore(db),
  deployments: ({ db }) => createDeploymentStore(db),
  outputs: ({ db }) => createOutputStore(db),
  crons: ({ db }) => createCronStore(db),
  previews: ({ db }) => createPreviewStore(db),
  instances: ({ db }) => createInstanceStore(db),
  machines: ({ db }) => createMachineStore(db),
  sharedThings: ({ db }) => createSharedThingStore(db),
  revalidations: ({ db }) => createRevalidationStore(db),
  dnsRecords: ({ db }) => createDnsRecordStore(db),
  orders: ({ db }) => createOrderStore(db),
  certificates: ({ db }) => createCertificateStore(db),
  certificateAttempts: ({ db }) => createAttemptStore(db),
  challenges: ({ db }) => createChallengeStore(db),
  domains: ({ db }) => createDomainStore(db),
  applications: ({ db }) => createApplicationStore(db),
  installations: ({ db }) => createInstallationStore(db),
  oauthCodes: ({ db }) => createOauthCodeStore(db),
  webhooks: ({ db }) => createWebhookStore(db),
  deliveries: ({ db }) => createDeliveryStore(db),
  audit: ({ db }) => createAuditStore(db),
  usage: ({ db }) => createUsageStore(db),
  drains: ({ db }) => createDrainStore(db),
  pushes: ({ db }) => createPushStore(db),
  gitObjects: ({ db }) => createGitObjectStore(db),
  gitSizes: ({ db }) => createRepositorySizeStore(db),
  sources: ({ db }) => createSourceStore(db),
  pulls: ({ db }) => createPullStore(db),
  connections: ({ db }) => createConnectionStore(db),
  apps: ({ db }) => createAppStore(db),
  events: ({ db, stores, site = '' }) =>
    createEventQueue({
      listeners: createListenerStore(db),
      deliveries: stores.deliveries,
      jobs: stores.jobs,
      site,
    }),
} satisfies Readonly<Record<string, (making: Making) => object>>

export type Stores = { readonly [Name in keyof typeof MAKE]: ReturnType<(typeof MAKE)[Name]> }

const NAMES = Object.keys(MAKE)

/** Each store is made when it is first asked for: a transaction needs few of them. */
export function createStores(db: Db, parts: StoreParts): Stores {
  const announcing = parts.onChanges ? createAnnouncing(db, parts.onChanges) : {}
  const made: Record<string, unknown> = {}
  const stores: Stores = new Proxy(made as unknown as Stores, {
    get: (_, name) => {
      if (!isStoreName(name)) return undefined
      made[name] ??= announced(announcing, name, MAKE[name]({ ...parts, db, stores }))
      return made[name]
    },
    has: (_, name) => isStoreName(name),
    ownKeys: () => NAMES,
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  })
  return stores
}

const isStoreName = (name: string | symbol): name is keyof Stores => Object.hasOwn(MAKE, name)

function announced(announcing: object, name: keyof Stores, store: unknown): unknown {
  const announce = (announcing as Readonly<Record<string, (store: unknown) => unknown>>)[name]
  return announce ? announce(store) : store
}
