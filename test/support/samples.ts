import { createHash } from 'node:crypto'
import { newId } from '#contract/ids.ts'
import type { Alias } from '#core/alias/alias.ts'
import type { Application } from '#core/application/application.ts'
import type { AuditEntry } from '#core/audit/audit.ts'
import type { Certificate } from '#core/certificate/certificate.ts'
import type { Challenge } from '#core/certificate/challenge.ts'
import type { Cron, CronRun } from '#core/cron/cron.ts'
import type { Deployment } from '#core/deployment/deployment.ts'
import { DEFAULT_MODE, type ManifestFile } from '#core/deployment/file/manifest.ts'
import type { DnsRecord } from '#core/dns-record/dns-record.ts'
import { type Domain, newDomain } from '#core/domain/domain.ts'
import type { Drain } from '#core/drain/drain.ts'
import type { EnvVariable } from '#core/env-variable/env-variable.ts'
import type { UploadedFile } from '#core/file/file-store.ts'
import type { GitApp } from '#core/git/app/app.ts'
import type { GitConnection } from '#core/git/host/connection.ts'
import type { Pull } from '#core/git/pull/pull.ts'
import type { Push } from '#core/git/push/push.ts'
import type { GitSource } from '#core/git/source/source.ts'
import type { Installation } from '#core/installation/installation.ts'
import type { Instance } from '#core/instance/instance.ts'
import type { Login } from '#core/login/login.ts'
import type { Output } from '#core/output/output.ts'
import { DEFAULT_BUILD_SETTINGS, type Project } from '#core/project/project.ts'
import { DEFAULT_DETAILS } from '#core/project/project-details.ts'
import type { ProjectDomain } from '#core/project-domain/project-domain.ts'
import type { Order } from '#core/registrar/order.ts'
import type { Secret } from '#core/secret/secret.ts'
import type { Session } from '#core/session/session.ts'
import type { SshKey } from '#core/ssh-key/ssh-key.ts'
import type { Team } from '#core/team/team.ts'
import type { Token } from '#core/token/token.ts'
import type { User } from '#core/user/user.ts'
import type { Delivery, Webhook } from '#core/webhook/webhook.ts'

export function sampleUser(given: Partial<User> = {}): User {
  const id = given.id ?? newId.user()
  return {
    id,
    email: `${id.toLowerCase()}@aloft.test`,
    username: `user-${id.toLowerCase()}`,
    name: null,
    avatar: null,
    plan: 'free',
    softBlocked: false,
    operator: false,
    createdAt: 1_700_000_000_000,
    ...given,
  }
}

export function sampleTeam(given: Partial<Team> & Pick<Team, 'creatorId'>): Team {
  const id = given.id ?? newId.team()
  return {
    id,
    slug: id.toLowerCase(),
    name: 'A team',
    avatar: null,
    plan: 'pro',
    softBlocked: false,
    membersMayEditProduction: true,
    createdAt: 1_700_000_000_000,
    ...given,
  }
}

export const sampleToken = (given: Partial<Token> & Pick<Token, 'userId'>): Token => ({
  id: newId.tokenId(),
  name: 'a token',
  kind: 'account',
  createdAt: 1_700_000_000_000,
  activeAt: 1_700_000_000_000,
  expiresAt: null,
  installationId: null,
  ...given,
})

export const sampleSshKey = (given: Partial<SshKey> & Pick<SshKey, 'userId'>): SshKey => {
  const id = newId.sshKey()
  return {
    id,
    name: 'laptop',
    fingerprint: `SHA256:${id}`,
    publicKey: 'ssh-ed25519 AAAA',
    createdAt: 1_700_000_000_000,
    usedAt: null,
    ...given,
  }
}

export const sampleLogin = (given: Partial<Login> = {}): Login => ({
  id: newId.request(),
  email: 'somebody@aloft.test',
  tokenName: 'a terminal',
  securityCode: 'Calm Otter',
  ip: '192.0.2.1',
  userAgent: 'curl',
  createdAt: 1_700_000_000_000,
  expiresAt: 1_700_000_001_000,
  acceptedAt: null,
  hasMail: true,
  ...given,
})

export const sampleSession = (given: Partial<Session> & Pick<Session, 'userId'>): Session => ({
  id: newId.session(),
  createdAt: 1_700_000_000_000,
  expiresAt: 1_800_000_000_000,
  userAgent: 'a browser',
  ip: '192.0.2.1',
  ...given,
})

export function sampleSecret(given: Partial<Secret> = {}): Secret {
  const id = given.id ?? newId.secret()
  return {
    id,
    ownerId: 'an-account',
    name: `name-of-${id}`,
    creatorId: 'a-user',
    createdAt: 1_700_000_000_000,
    ...given,
  }
}

/** What an account has after it uploaded this text. */
export const sampleFile = (text: string): UploadedFile => ({
  sha1: createHash('sha1').update(text).digest('hex'),
  sha256: createHash('sha256').update(text).digest('hex'),
  size: Buffer.byteLength(text),
})

/** The same text as a file of a deployment. */
export const sampleEntry = (path: string, text = path): ManifestFile => ({
  path,
  mode: DEFAULT_MODE,
  ...sampleFile(text),
})

export function sampleProject(given: Partial<Project> = {}): Project {
  const id = given.id ?? newId.project()
  return {
    id,
    ownerId: 'an-account',
    name: `name-of-${id.slice(4).toLowerCase()}`,
    defaultHost: null,
    directoryListing: false,
    build: DEFAULT_BUILD_SETTINGS,
    details: DEFAULT_DETAILS,
    createdAt: 1_700_000_000_000,
    updatedAt: 1_700_000_000_000,
    ...given,
  }
}

export const sampleEnvVariable = (given: Partial<EnvVariable> = {}): EnvVariable => ({
  id: newId.envVariable(),
  projectId: 'prj_of-an-account',
  key: 'KEY',
  type: 'plain',
  value: 'a value',
  size: 7,
  target: ['production', 'preview'],
  gitBranch: null,
  customEnvironmentId: null,
  comment: null,
  configurationId: null,
  createdAt: 1_700_000_000_000,
  createdBy: 'a-user',
  updatedAt: 1_700_000_000_000,
  updatedBy: 'a-user',
  ...given,
})

export const sampleProjectDomain = (given: Partial<ProjectDomain> = {}): ProjectDomain => ({
  projectId: 'prj_of-an-account',
  ownerId: 'an-account',
  name: 'www.example.com',
  apexName: 'example.com',
  redirect: null,
  redirectStatusCode: null,
  gitBranch: null,
  customEnvironmentId: null,
  verified: true,
  challenge: null,
  createdAt: 1_700_000_000_000,
  updatedAt: 1_700_000_000_000,
  ...given,
})

export function sampleDeployment(given: Partial<Deployment> = {}): Deployment {
  const id = given.id ?? newId.deployment()
  return {
    id,
    ownerId: 'an-account',
    projectId: 'prj_of-an-account',
    creatorId: 'a-user',
    name: 'My site',
    host: `my-site-${id.slice(4).toLowerCase()}.aloft.test`,
    state: 'READY',
    stateAt: 1_700_000_000_000,
    createdAt: 1_700_000_000_000,
    readyAt: 1_700_000_000_000,
    createdIn: 'bru1',
    regions: ['bru1'],
    plan: 'free',
    public: false,
    target: null,
    meta: {},
    routes: null,
    builds: [],
    buildRuns: [],
    envKeys: [],
    buildEnvKeys: [],
    aliasWish: null,
    aliasFinal: [],
    aliasAssigned: true,
    aliasError: null,
    failure: null,
    type: 'STATIC',
    scale: { min: 0, max: 1 },
    sessionAffinity: 'random',
    nodeVersion: null,
    requestedType: null,
    incomplete: false,
    digest: `digest of ${id}`,
    ...given,
  }
}

export const sampleAlias = (given: Partial<Alias> & Pick<Alias, 'deploymentId'>): Alias => ({
  id: newId.alias(),
  host: `${newId.deploymentHash()}.aloft.test`,
  ownerId: 'an-account',
  projectId: 'prj_of-an-account',
  production: false,
  createdAt: 1_700_000_000_000,
  ...given,
})

export function sampleOutput(given: Partial<Output> = {}): Output {
  const archive = sampleFile('archive')
  return {
    routes: [{ src: '/old', dest: '/api/hello' }],
    files: [
      { path: 'index.html', ...sampleFile('home') },
      { path: 'feed', ...sampleFile('feed'), contentType: 'application/rss+xml' },
    ],
    functions: [{ path: 'api/hello', program: 'program-1' }],
    programs: [
      {
        id: 'program-1',
        runtime: 'node',
        version: '20.x',
        shape: 'handler',
        entry: 'api/hello.js',
        archive,
        fileCount: 1,
        memoryMb: 256,
        maxDuration: 10,
        env: {},
      },
    ],
    ...given,
  }
}

export const sampleInstance = (given: Partial<Instance> = {}): Instance => ({
  id: newId.instance(),
  deploymentId: newId.deployment(),
  program: 'program-1',
  worker: 'worker-1',
  startedAt: 1_700_000_000_000,
  ownerId: 'owner_1',
  memoryMb: 1024,
  ...given,
})

export function sampleDomain(given: Partial<Domain> = {}): Domain {
  const id = given.id ?? newId.domain()
  const owner = { ownerId: 'an-account', creatorId: 'a-user' }
  return {
    ...newDomain({ ...owner, name: `${id.toLowerCase()}.example`, serviceWish: null }, 1_700_000_000_000),
    id,
    ...given,
  }
}

export const sampleCertificate = (given: Partial<Certificate> = {}): Certificate => ({
  id: newId.certificate(),
  ownerId: 'an-account',
  names: ['example.com', 'www.example.com'],
  source: 'issued',
  autoRenew: true,
  createdAt: 1_700_000_000_000,
  expiresAt: 1_707_776_000_000,
  renewAt: 1_705_184_000_000,
  cert: 'a certificate',
  sealedKey: 'a sealed key',
  ...given,
})

export const sampleChallenge = (given: Partial<Challenge> = {}): Challenge => ({
  kind: 'http-01',
  host: 'example.com',
  token: 'a-token',
  value: 'a-token.a-thumbprint',
  expiresAt: 1_700_000_600_000,
  ...given,
})

export const sampleDnsRecord = (given: Partial<DnsRecord> = {}): DnsRecord => ({
  id: newId.dnsRecord(),
  domainId: 'a-domain',
  type: 'A',
  name: 'www',
  value: '192.0.2.1',
  slug: 'www.example.com.-address',
  creatorId: 'a-user',
  createdAt: 1_700_000_000_000,
  updatedAt: null,
  ...given,
})

export const sampleOrder = (given: Partial<Order> = {}): Order => ({
  key: newId.request(),
  kind: 'buy',
  ownerId: 'an-account',
  creatorId: 'a-user',
  name: 'example.com',
  price: 12,
  state: 'pending',
  expiresAt: null,
  createdAt: 1_700_000_000_000,
  ...given,
})

export const sampleDelivery = (given: Partial<Delivery> = {}): Delivery => ({
  id: newId.delivery(),
  eventId: newId.event(),
  ownerId: 'an-account',
  target: { kind: 'webhook', id: 'a-webhook' },
  type: 'project.created',
  body: '{}',
  state: 'waiting',
  attempts: [],
  createdAt: 1_700_000_000_000,
  ...given,
})

export const sampleAuditEntry = (given: Partial<AuditEntry> = {}): AuditEntry => ({
  id: newId.audit(),
  ownerId: 'an-account',
  at: 1_700_000_000_000,
  userId: 'a-user',
  via: { kind: 'login', id: 'a-token', name: 'Laptop' },
  action: 'PATCH /v9/projects/:idOrName',
  target: { idOrName: 'a-project' },
  ip: '192.0.2.1',
  userAgent: 'curl/8',
  requestId: 'req_1',
  ...given,
})

export const sampleCron = (given: Partial<Cron> = {}): Cron => ({
  id: 'cron_1',
  ownerId: 'an-account',
  projectId: 'prj_1',
  source: 'api',
  path: '/api/nightly',
  schedule: '0 5 * * *',
  timeZone: 'UTC',
  enabled: true,
  overlap: 'skip',
  makeUp: false,
  failures: 0,
  nextAt: 1_700_000_000_000,
  createdAt: 1_700_000_000_000,
  updatedAt: 1_700_000_000_000,
  ...given,
})

export const sampleCronRun = (given: Partial<CronRun> = {}): CronRun => ({
  id: 'crun_1',
  cronId: 'cron_1',
  trigger: 'schedule',
  state: 'running',
  dueAt: 1_700_000_000_000,
  startedAt: 1_700_000_000_000,
  endedAt: null,
  status: null,
  deploymentId: null,
  requestId: null,
  message: null,
  ...given,
})

export const sampleDrain = (given: Partial<Drain> = {}): Drain => ({
  id: newId.drain(),
  ownerId: 'an-account',
  installationId: null,
  name: 'A drain',
  url: 'https://example.com/',
  format: 'json',
  projectIds: null,
  sources: null,
  environments: null,
  sealedHeaders: null,
  sealedSecret: null,
  samplingRate: 1,
  status: 'enabled',
  failingSince: null,
  createdAt: 1_700_000_000_000,
  ...given,
})

export const sampleWebhook = (given: Partial<Webhook> = {}): Webhook => ({
  id: newId.webhook(),
  ownerId: 'an-account',
  url: 'https://example.com/',
  events: ['project.created'],
  projectIds: null,
  sealedSecret: 'sealed',
  createdAt: 1_700_000_000_000,
  updatedAt: 1_700_000_000_000,
  failingSince: null,
  disabledAt: null,
  ...given,
})

export function sampleApplication(given: Partial<Application> = {}): Application {
  const id = given.id ?? newId.application()
  return {
    id,
    ownerId: 'an-account',
    creatorId: 'a-user',
    name: 'An application',
    slug: `slug-of-${id.toLowerCase()}`,
    redirectUrl: 'https://example.com/back',
    webhookUrl: null,
    scopes: { deployment: 'read' },
    note: null,
    clientId: `client-of-${id}`,
    sealedSecret: 'sealed',
    createdAt: 1_700_000_000_000,
    updatedAt: 1_700_000_000_000,
    ...given,
  }
}

export const sampleInstallation = (given: Partial<Installation> = {}): Installation => ({
  id: newId.installation(),
  applicationId: 'an-application',
  ownerId: 'an-account',
  userId: 'a-user',
  teamId: null,
  projectSelection: 'all',
  projects: [],
  scopes: { deployment: 'read' },
  scopesQueue: [],
  createdAt: 1_700_000_000_000,
  updatedAt: 1_700_000_000_000,
  disabledAt: null,
  disabledReason: null,
  ...given,
})

export const samplePush = (given: Partial<Push> & Pick<Push, 'projectId' | 'ownerId'>): Push => ({
  id: newId.push(),
  source: 'git',
  ref: 'refs/heads/main',
  before: null,
  after: 'a'.repeat(40),
  userId: given.ownerId,
  author: null,
  message: null,
  fork: false,
  pull: null,
  options: {},
  state: 'queued',
  reason: null,
  notes: [],
  deploymentId: null,
  told: { status: null, deployment: null },
  createdAt: 1_700_000_000_000,
  stateAt: 1_700_000_000_000,
  ...given,
})

export const samplePull = (given: Partial<Pull> & Pick<Pull, 'projectId' | 'ownerId'>): Pull => ({
  number: 1,
  repository: 'https://git.example/me/site.git',
  branch: 'next',
  fork: false,
  title: 'Something new',
  url: null,
  commit: 'a'.repeat(40),
  ref: 'refs/pull/1/head',
  state: 'open',
  updatedAt: 1_700_000_000_000,
  ...given,
})

export const sampleConnection = (
  given: Partial<GitConnection> & Pick<GitConnection, 'ownerId'>,
): GitConnection => ({
  id: newId.gitConnection(),
  kind: 'github',
  url: 'https://github.com',
  username: null,
  sealedToken: 'sealed',
  app: null,
  login: 'octocat',
  userId: '1',
  createdBy: given.ownerId,
  createdAt: 1_700_000_000_000,
  checkedAt: 1_700_000_000_000,
  problem: null,
  ...given,
})

export const sampleApp = (given: Partial<GitApp> & Pick<GitApp, 'ownerId'>): GitApp => ({
  id: newId.gitApp(),
  slug: 'octocat',
  url: 'https://github.com',
  organization: null,
  createdBy: given.ownerId,
  createdAt: 1_700_000_000_000,
  stateHash: 'hash',
  made: null,
  heardAt: null,
  refusedAt: null,
  ...given,
})

export const sampleSource = (
  given: Partial<GitSource> & Pick<GitSource, 'projectId' | 'ownerId'>,
): GitSource => ({
  url: 'https://git.example/me/site.git',
  username: 'git',
  host: null,
  sealedToken: null,
  sealedKey: null,
  publicKey: null,
  knownHosts: null,
  hookSecret: 'a'.repeat(32),
  sealedWebhookSecret: null,
  userId: given.ownerId,
  createdAt: 1_700_000_000_000,
  checkedAt: null,
  problem: null,
  failures: 0,
  dueAt: 0,
  connectionId: null,
  hook: null,
  pulls: null,
  ...given,
})
