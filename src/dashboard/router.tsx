import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
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

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./shell/home.tsx'), 'Home'),
})

// Links of webhooks and mails name no account.
const anyDeployment = createRoute({
  getParentRoute: () => root,
  path: 'deployments/$id',
  component: lazyRouteComponent(() => import('./shell/lead-on.tsx'), 'LeadToDeployment'),
})
const anyProject = createRoute({
  getParentRoute: () => root,
  path: 'projects/$id',
  component: lazyRouteComponent(() => import('./shell/lead-on.tsx'), 'LeadToProject'),
})
// Deploy buttons: `/new/clone?repository-url=…` and what came before it, `/new/import?s=…` and `/import/git?s=…`.
const leadToNew = lazyRouteComponent(() => import('./shell/lead-on.tsx'), 'LeadToNew')
const anyNew = createRoute({ getParentRoute: () => root, path: 'new/$', component: leadToNew })
const anyImport = createRoute({ getParentRoute: () => root, path: 'import/$', component: leadToNew })

// Pages of an account

const account = createRoute({
  getParentRoute: () => root,
  path: 'a/$account',
  component: lazyRouteComponent(() => import('./shell/account-frame.tsx'), 'AccountFrame'),
})
const projects = createRoute({
  getParentRoute: () => account,
  path: '/',
  component: lazyRouteComponent(() => import('./project/list/projects-page.tsx'), 'ProjectsPage'),
})
const newProject = createRoute({
  getParentRoute: () => account,
  path: 'new',
  component: lazyRouteComponent(() => import('./project/new-page.tsx'), 'NewPage'),
})
const deployments = createRoute({
  getParentRoute: () => account,
  path: 'deployments',
  component: lazyRouteComponent(() => import('./deployment/deployments-page.tsx'), 'DeploymentsPage'),
})
const domains = createRoute({
  getParentRoute: () => account,
  path: 'domains',
  component: lazyRouteComponent(() => import('./domain/domains-page.tsx'), 'DomainsPage'),
})
const domain = createRoute({
  getParentRoute: () => account,
  path: 'domains/$name',
  component: lazyRouteComponent(() => import('./domain/domain-page.tsx'), 'DomainPage'),
})
const certificates = createRoute({
  getParentRoute: () => account,
  path: 'certificates',
  component: lazyRouteComponent(() => import('./certificate/certificates-page.tsx'), 'CertificatesPage'),
})
const aliases = createRoute({
  getParentRoute: () => account,
  path: 'aliases',
  component: lazyRouteComponent(() => import('./alias/aliases-page.tsx'), 'AliasesPage'),
})
const secrets = createRoute({
  getParentRoute: () => account,
  path: 'secrets',
  component: lazyRouteComponent(() => import('./secret/secrets-page.tsx'), 'SecretsPage'),
})
const integrations = createRoute({
  getParentRoute: () => account,
  path: 'integrations',
  component: lazyRouteComponent(() => import('./integration/integrations-page.tsx'), 'IntegrationsPage'),
})
const integration = createRoute({
  getParentRoute: () => account,
  path: 'integrations/$id',
  component: lazyRouteComponent(() => import('./integration/integration-page.tsx'), 'IntegrationPage'),
})
const applications = createRoute({
  getParentRoute: () => account,
  path: 'applications',
  component: lazyRouteComponent(() => import('./integration/applications-page.tsx'), 'ApplicationsPage'),
})
const gitApp = createRoute({
  getParentRoute: () => account,
  path: 'git/app/$id',
  component: lazyRouteComponent(() => import('./git/git-app-page.tsx'), 'GitAppPage'),
})
const gitConnections = createRoute({
  getParentRoute: () => account,
  path: 'git',
  component: lazyRouteComponent(() => import('./git/connections-page.tsx'), 'GitConnectionsPage'),
})
const webhooks = createRoute({
  getParentRoute: () => account,
  path: 'webhooks',
  component: lazyRouteComponent(() => import('./webhook/webhooks-page.tsx'), 'WebhooksPage'),
})
const webhook = createRoute({
  getParentRoute: () => account,
  path: 'webhooks/$id',
  component: lazyRouteComponent(() => import('./webhook/webhook-page.tsx'), 'WebhookPage'),
})
const drains = createRoute({
  getParentRoute: () => account,
  path: 'drains',
  component: lazyRouteComponent(() => import('./drain/drains-page.tsx'), 'DrainsPage'),
})
const audit = createRoute({
  getParentRoute: () => account,
  path: 'audit',
  component: lazyRouteComponent(() => import('./audit/audit-page.tsx'), 'AuditPage'),
})
const usage = createRoute({
  getParentRoute: () => account,
  path: 'usage',
  component: lazyRouteComponent(() => import('./usage/usage-page.tsx'), 'UsagePage'),
})
const members = createRoute({
  getParentRoute: () => account,
  path: 'members',
  component: lazyRouteComponent(() => import('./team/members-page.tsx'), 'MembersPage'),
})
const teamSettings = createRoute({
  getParentRoute: () => account,
  path: 'settings',
  component: lazyRouteComponent(() => import('./team/team-settings-page.tsx'), 'TeamSettingsPage'),
})

// A project

const project = createRoute({
  getParentRoute: () => account,
  path: 'projects/$project',
  component: lazyRouteComponent(() => import('./project/project-frame.tsx'), 'ProjectFrame'),
})
const overview = createRoute({
  getParentRoute: () => project,
  path: '/',
  component: lazyRouteComponent(() => import('./project/overview-page.tsx'), 'OverviewPage'),
})
const history = createRoute({
  getParentRoute: () => project,
  path: 'deployments',
  component: lazyRouteComponent(() => import('./project/history-page.tsx'), 'HistoryPage'),
})
const compare = createRoute({
  getParentRoute: () => project,
  // `?from=` and `?to=` name the deployments.
  path: 'compare',
  component: lazyRouteComponent(() => import('./project/compare-page.tsx'), 'ComparePage'),
})
const logs = createRoute({
  getParentRoute: () => project,
  path: 'logs',
  component: lazyRouteComponent(() => import('./log/logs-page.tsx'), 'LogsPage'),
})
const analytics = createRoute({
  getParentRoute: () => project,
  path: 'analytics',
  component: lazyRouteComponent(() => import('./analytics/analytics-page.tsx'), 'AnalyticsPage'),
})
const crons = createRoute({
  getParentRoute: () => project,
  path: 'crons',
  component: lazyRouteComponent(() => import('./cron/crons-page.tsx'), 'CronsPage'),
})
const git = createRoute({
  getParentRoute: () => project,
  path: 'git',
  component: lazyRouteComponent(() => import('./git/git-page.tsx'), 'GitPage'),
})
const settings = createRoute({
  getParentRoute: () => project,
  path: 'settings',
  component: lazyRouteComponent(() => import('./setting/settings-frame.tsx'), 'SettingsFrame'),
})
const generalSettings = createRoute({
  getParentRoute: () => settings,
  path: '/',
  component: lazyRouteComponent(() => import('./setting/general-page.tsx'), 'GeneralPage'),
})
const buildSettings = createRoute({
  getParentRoute: () => settings,
  path: 'build',
  component: lazyRouteComponent(() => import('./setting/build/build-page.tsx'), 'BuildPage'),
})
const variableSettings = createRoute({
  getParentRoute: () => settings,
  path: 'variables',
  component: lazyRouteComponent(() => import('./setting/variable/variables-page.tsx'), 'VariablesPage'),
})
const environmentSettings = createRoute({
  getParentRoute: () => settings,
  path: 'environments',
  component: lazyRouteComponent(
    () => import('./setting/environment/environments-page.tsx'),
    'EnvironmentsPage',
  ),
})
const domainSettings = createRoute({
  getParentRoute: () => settings,
  path: 'domains',
  component: lazyRouteComponent(() => import('./setting/domain/domains-page.tsx'), 'ProjectDomainsPage'),
})
const protectionSettings = createRoute({
  getParentRoute: () => settings,
  path: 'protection',
  component: lazyRouteComponent(() => import('./setting/protection/protection-page.tsx'), 'ProtectionPage'),
})
const advancedSettings = createRoute({
  getParentRoute: () => settings,
  path: 'advanced',
  component: lazyRouteComponent(() => import('./setting/advanced/advanced-page.tsx'), 'AdvancedPage'),
})

// A deployment

const deployment = createRoute({
  getParentRoute: () => account,
  path: 'deployments/$deployment',
  component: lazyRouteComponent(() => import('./deployment/deployment-frame.tsx'), 'DeploymentFrame'),
})
const building = createRoute({
  getParentRoute: () => deployment,
  path: '/',
  component: lazyRouteComponent(() => import('./deployment/build/build-page.tsx'), 'DeploymentBuildPage'),
})
const source = createRoute({
  getParentRoute: () => deployment,
  // `?file=` names the one that is open.
  path: 'source',
  component: lazyRouteComponent(() => import('./deployment/source/source-page.tsx'), 'SourcePage'),
})
const output = createRoute({
  getParentRoute: () => deployment,
  path: 'output',
  component: lazyRouteComponent(() => import('./deployment/output-page.tsx'), 'OutputPage'),
})
const instances = createRoute({
  getParentRoute: () => deployment,
  path: 'instances',
  component: lazyRouteComponent(() => import('./deployment/instances-page.tsx'), 'InstancesPage'),
})

// The person, and whoever operates the installation

const person = createRoute({
  getParentRoute: () => root,
  path: 'account',
  component: lazyRouteComponent(() => import('./account/person-frame.tsx'), 'PersonFrame'),
})
const profile = createRoute({
  getParentRoute: () => person,
  path: '/',
  component: lazyRouteComponent(() => import('./account/profile-page.tsx'), 'ProfilePage'),
})
const sshKeys = createRoute({
  getParentRoute: () => person,
  path: 'ssh-keys',
  component: lazyRouteComponent(() => import('./account/ssh-keys-page.tsx'), 'SshKeysPage'),
})
const tokens = createRoute({
  getParentRoute: () => person,
  path: 'tokens',
  component: lazyRouteComponent(() => import('./account/tokens-page.tsx'), 'TokensPage'),
})
const sessions = createRoute({
  getParentRoute: () => person,
  path: 'sessions',
  component: lazyRouteComponent(() => import('./account/sessions-page.tsx'), 'SessionsPage'),
})
const operator = createRoute({
  getParentRoute: () => root,
  path: 'operator',
  component: lazyRouteComponent(() => import('./operator/operator-frame.tsx'), 'OperatorFrame'),
})
const health = createRoute({
  getParentRoute: () => operator,
  path: '/',
  component: lazyRouteComponent(() => import('./operator/health-page.tsx'), 'HealthPage'),
})
const accounts = createRoute({
  getParentRoute: () => operator,
  path: 'accounts',
  component: lazyRouteComponent(() => import('./operator/accounts-page.tsx'), 'AccountsPage'),
})
const accountUsage = createRoute({
  getParentRoute: () => operator,
  path: 'accounts/$id',
  component: lazyRouteComponent(() => import('./operator/account-page.tsx'), 'AccountPage'),
})
const quotas = createRoute({
  getParentRoute: () => operator,
  path: 'quotas',
  component: lazyRouteComponent(() => import('./operator/quotas-page.tsx'), 'QuotasPage'),
})
const machines = createRoute({
  getParentRoute: () => operator,
  path: 'machines',
  component: lazyRouteComponent(() => import('./operator/machines-page.tsx'), 'MachinesPage'),
})
const jobs = createRoute({
  getParentRoute: () => operator,
  path: 'jobs',
  component: lazyRouteComponent(() => import('./operator/jobs-page.tsx'), 'JobsPage'),
})
const backups = createRoute({
  getParentRoute: () => operator,
  path: 'backups',
  component: lazyRouteComponent(() => import('./operator/backups-page.tsx'), 'BackupsPage'),
})

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
