import { type AnyRoute, createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { lazyRouteComponent } from './api/lazy-route.ts'
import { parseSearch, stringifySearch } from './api/search-words.ts'
import { Failed, NotFound } from './shell/failed.tsx'
import { PageSkeleton } from './ui/feedback/skeleton.tsx'

/** Every page has an address of its own, and its code comes when it is opened. */

const root = createRootRoute({
  // Filters and the like, all of them text; see `useSearchText`.
  validateSearch: (search): Readonly<Record<string, string | undefined>> =>
    Object.fromEntries(
      Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
    ),
  component: lazyRouteComponent(() => import('./shell/root.tsx'), 'Root'),
})

const page = <
  const Parent extends AnyRoute,
  const Path extends string,
  Module extends Readonly<Record<string, unknown>>,
>(
  parent: Parent,
  path: Path,
  load: () => Promise<Module>,
  name: keyof Module & string,
) => createRoute({ getParentRoute: () => parent, path, component: lazyRouteComponent(load, name) })

const home = page(root, '/', () => import('./shell/home.tsx'), 'Home')

// Links of webhooks and mails name no account.
const anyDeployment = page(root, 'deployments/$id', () => import('./shell/lead-on.tsx'), 'LeadToDeployment')
const anyProject = page(root, 'projects/$id', () => import('./shell/lead-on.tsx'), 'LeadToProject')
// Deploy buttons: `/new/clone?repository-url=…` and what came before it, `/new/import?s=…` and `/import/git?s=…`.
const leadToNew = lazyRouteComponent(() => import('./shell/lead-on.tsx'), 'LeadToNew')
const anyNew = createRoute({ getParentRoute: () => root, path: 'new/$', component: leadToNew })
const anyImport = createRoute({ getParentRoute: () => root, path: 'import/$', component: leadToNew })

// Pages of an account

const account = page(root, 'a/$account', () => import('./shell/account-frame.tsx'), 'AccountFrame')
const projects = page(account, '/', () => import('./project/list/projects-page.tsx'), 'ProjectsPage')
const newProject = page(account, 'new', () => import('./project/new-page.tsx'), 'NewPage')
const deployments = page(
  account,
  'deployments',
  () => import('./deployment/deployments-page.tsx'),
  'DeploymentsPage',
)
const domains = page(account, 'domains', () => import('./domain/domains-page.tsx'), 'DomainsPage')
const domain = page(account, 'domains/$name', () => import('./domain/domain-page.tsx'), 'DomainPage')
const certificates = page(
  account,
  'certificates',
  () => import('./certificate/certificates-page.tsx'),
  'CertificatesPage',
)
const aliases = page(account, 'aliases', () => import('./alias/aliases-page.tsx'), 'AliasesPage')
const secrets = page(account, 'secrets', () => import('./secret/secrets-page.tsx'), 'SecretsPage')
const integrations = page(
  account,
  'integrations',
  () => import('./integration/integrations-page.tsx'),
  'IntegrationsPage',
)
const integration = page(
  account,
  'integrations/$id',
  () => import('./integration/integration-page.tsx'),
  'IntegrationPage',
)
const applications = page(
  account,
  'applications',
  () => import('./integration/applications-page.tsx'),
  'ApplicationsPage',
)
const gitApp = page(account, 'git/app/$id', () => import('./git/git-app-page.tsx'), 'GitAppPage')
const gitConnections = page(account, 'git', () => import('./git/connections-page.tsx'), 'GitConnectionsPage')
const webhooks = page(account, 'webhooks', () => import('./webhook/webhooks-page.tsx'), 'WebhooksPage')
const webhook = page(account, 'webhooks/$id', () => import('./webhook/webhook-page.tsx'), 'WebhookPage')
const drains = page(account, 'drains', () => import('./drain/drains-page.tsx'), 'DrainsPage')
const audit = page(account, 'audit', () => import('./audit/audit-page.tsx'), 'AuditPage')
const usage = page(account, 'usage', () => import('./usage/usage-page.tsx'), 'UsagePage')
const members = page(account, 'members', () => import('./team/members-page.tsx'), 'MembersPage')
const teamSettings = page(
  account,
  'settings',
  () => import('./team/team-settings-page.tsx'),
  'TeamSettingsPage',
)

// A project

const project = page(
  account,
  'projects/$project',
  () => import('./project/project-frame.tsx'),
  'ProjectFrame',
)
const overview = page(project, '/', () => import('./project/overview-page.tsx'), 'OverviewPage')
const history = page(project, 'deployments', () => import('./project/history-page.tsx'), 'HistoryPage')
// `?from=` and `?to=` name the deployments.
const compare = page(project, 'compare', () => import('./project/compare-page.tsx'), 'ComparePage')
const logs = page(project, 'logs', () => import('./log/logs-page.tsx'), 'LogsPage')
const analytics = page(project, 'analytics', () => import('./analytics/analytics-page.tsx'), 'AnalyticsPage')
const crons = page(project, 'crons', () => import('./cron/crons-page.tsx'), 'CronsPage')
const git = page(project, 'git', () => import('./git/git-page.tsx'), 'GitPage')
const settings = page(project, 'settings', () => import('./setting/settings-frame.tsx'), 'SettingsFrame')
const generalSettings = page(settings, '/', () => import('./setting/general-page.tsx'), 'GeneralPage')
const buildSettings = page(settings, 'build', () => import('./setting/build/build-page.tsx'), 'BuildPage')
const variableSettings = page(
  settings,
  'variables',
  () => import('./setting/variable/variables-page.tsx'),
  'VariablesPage',
)
const environmentSettings = page(
  settings,
  'environments',
  () => import('./setting/environment/environments-page.tsx'),
  'EnvironmentsPage',
)
const domainSettings = page(
  settings,
  'domains',
  () => import('./setting/domain/domains-page.tsx'),
  'ProjectDomainsPage',
)
const protectionSettings = page(
  settings,
  'protection',
  () => import('./setting/protection/protection-page.tsx'),
  'ProtectionPage',
)
const advancedSettings = page(
  settings,
  'advanced',
  () => import('./setting/advanced/advanced-page.tsx'),
  'AdvancedPage',
)

// A deployment

const deployment = page(
  account,
  'deployments/$deployment',
  () => import('./deployment/deployment-frame.tsx'),
  'DeploymentFrame',
)
const building = page(
  deployment,
  '/',
  () => import('./deployment/build/build-page.tsx'),
  'DeploymentBuildPage',
)
// `?file=` names the one that is open.
const source = page(deployment, 'source', () => import('./deployment/source/source-page.tsx'), 'SourcePage')
const output = page(deployment, 'output', () => import('./deployment/output-page.tsx'), 'OutputPage')
const instances = page(
  deployment,
  'instances',
  () => import('./deployment/instances-page.tsx'),
  'InstancesPage',
)

// The person, and whoever operates the installation

const person = page(root, 'account', () => import('./account/person-frame.tsx'), 'PersonFrame')
const profile = page(person, '/', () => import('./account/profile-page.tsx'), 'ProfilePage')
const sshKeys = page(person, 'ssh-keys', () => import('./account/ssh-keys-page.tsx'), 'SshKeysPage')
const tokens = page(person, 'tokens', () => import('./account/tokens-page.tsx'), 'TokensPage')
const sessions = page(person, 'sessions', () => import('./account/sessions-page.tsx'), 'SessionsPage')
const operator = page(root, 'operator', () => import('./operator/operator-frame.tsx'), 'OperatorFrame')
const health = page(operator, '/', () => import('./operator/health-page.tsx'), 'HealthPage')
const accounts = page(operator, 'accounts', () => import('./operator/accounts-page.tsx'), 'AccountsPage')
const accountUsage = page(
  operator,
  'accounts/$id',
  () => import('./operator/account-page.tsx'),
  'AccountPage',
)
const quotas = page(operator, 'quotas', () => import('./operator/quotas-page.tsx'), 'QuotasPage')
const machines = page(operator, 'machines', () => import('./operator/machines-page.tsx'), 'MachinesPage')
const jobs = page(operator, 'jobs', () => import('./operator/jobs-page.tsx'), 'JobsPage')
const backups = page(operator, 'backups', () => import('./operator/backups-page.tsx'), 'BackupsPage')

export const router = createRouter({
  parseSearch,
  stringifySearch,
  routeTree: root.addChildren([
    home,
    anyDeployment,
    anyProject,
    anyNew,
    anyImport,
    account.addChildren([
      projects,
      newProject,
      deployments,
      domains,
      domain,
      certificates,
      aliases,
      secrets,
      integrations,
      integration,
      applications,
      gitApp,
      gitConnections,
      webhooks,
      webhook,
      drains,
      audit,
      usage,
      members,
      teamSettings,
      project.addChildren([
        overview,
        history,
        compare,
        logs,
        analytics,
        crons,
        git,
        settings.addChildren([
          generalSettings,
          buildSettings,
          variableSettings,
          environmentSettings,
          domainSettings,
          protectionSettings,
          advancedSettings,
        ]),
      ]),
      deployment.addChildren([building, source, output, instances]),
    ]),
    person.addChildren([profile, tokens, sshKeys, sessions]),
    operator.addChildren([health, accounts, accountUsage, quotas, machines, jobs, backups]),
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
  // Loading is mostly over before a skeleton would be seen.
  defaultPendingMs: 150,
  defaultPendingComponent: PageSkeleton,
  defaultErrorComponent: Failed,
  defaultNotFoundComponent: NotFound,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
