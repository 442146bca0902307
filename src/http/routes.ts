import { AloftError } from '#contract/errors.ts'
import type { Aliases } from '#core/alias/aliases.ts'
import type { Analytics } from '#core/analytics/analytics.ts'
import type { Applications } from '#core/application/applications.ts'
import type { AuditLog } from '#core/audit/audit-log.ts'
import type { Purges } from '#core/cache/purges.ts'
import type { Certificates } from '#core/certificate/certificates.ts'
import type { Changes } from '#core/change/changes.ts'
import type { Permits } from '#core/change/permits.ts'
import type { Crons } from '#core/cron/crons.ts'
import type { CustomEnvironments } from '#core/custom-environment/custom-environments.ts'
import type { Deployments } from '#core/deployment/deployments.ts'
import type { DnsRecords } from '#core/dns-record/dns-records.ts'
import type { Domains } from '#core/domain/domains.ts'
import type { Drains } from '#core/drain/drains.ts'
import type { EnvVariables } from '#core/env-variable/env-variables.ts'
import type { Files } from '#core/file/files.ts'
import type { Installations } from '#core/installation/installations.ts'
import type { DeploymentLogs } from '#core/log/read/deployment-logs.ts'
import type { Logins } from '#core/login/logins.ts'
import type { Joining } from '#core/machine/joining.ts'
import type { Machines } from '#core/machine/machines.ts'
import type { Authorizations } from '#core/oauth/authorizations.ts'
import type { Backups } from '#core/operator/backup.ts'
import type { Operators } from '#core/operator/operators.ts'
import type { Previews } from '#core/preview/previews.ts'
import type { Production } from '#core/project/production.ts'
import type { Projects } from '#core/project/projects.ts'
import type { Transfers } from '#core/project/transfers.ts'
import type { ProjectDomains } from '#core/project-domain/project-domains.ts'
import type { Registrations } from '#core/registrar/registrations.ts'
import type { Releases } from '#core/release/releases.ts'
import type { Secrets } from '#core/secret/secrets.ts'
import type { Sessions } from '#core/session/sessions.ts'
import type { SignOn } from '#core/session/sign-on.ts'
import type { SshKeys } from '#core/ssh-key/ssh-keys.ts'
import type { Invitations } from '#core/team/invitations.ts'
import type { Teams } from '#core/team/teams.ts'
import type { Tokens } from '#core/token/tokens.ts'
import type { QuotaSettings } from '#core/usage/quota-settings.ts'
import type { Quotas } from '#core/usage/quotas.ts'
import type { Webhooks } from '#core/webhook/webhooks.ts'
import { aliasRoutes } from './alias/routes.ts'
import { analyticsRoutes } from './analytics/routes.ts'
import { applicationRoutes } from './application/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import { cacheRoutes } from './cache/routes.ts'
import { certificateRoutes } from './certificate/routes.ts'
import { changeRoutes } from './change/routes.ts'
import { withCompatRoutes } from './compat/routes.ts'
import { cronRoutes } from './cron/routes.ts'
import { customEnvironmentRoutes } from './custom-environment/routes.ts'
import { deploymentRoutes } from './deployment/routes.ts'
import { dnsRecordRoutes } from './dns-record/routes.ts'
import { domainRoutes } from './domain/routes.ts'
import { drainRoutes } from './drain/routes.ts'
import { envVariableRoutes } from './env-variable/routes.ts'
import { fileRoutes } from './file/routes.ts'
import { type GitRouteParts, gitRoutes } from './git/routes.ts'
import { installationRoutes } from './installation/routes.ts'
import type { Limits } from './limits.ts'
import { projectLogRoutes } from './log/project-routes.ts'
import { type FindLogged, logRoutes } from './log/routes.ts'
import { approveRoutes } from './login/approve-routes.ts'
import { loginRoutes } from './login/routes.ts'
import { machineRoutes } from './machine/routes.ts'
import { oauthRoutes } from './oauth/routes.ts'
import { operatorRoutes } from './operator/routes.ts'
import { previewRoutes } from './preview/routes.ts'
import { productionRoutes } from './project/production-routes.ts'
import { projectRoutes } from './project/routes.ts'
import { transferRoutes } from './project/transfer-routes.ts'
import { projectDomainRoutes } from './project-domain/routes.ts'
import { registrarRoutes } from './registrar/routes.ts'
import { releaseRoutes } from './release/routes.ts'
import type { Route } from './route.ts'
import { secretRoutes } from './secret/routes.ts'
import { createFindPerson } from './session/person.ts'
import { sessionRoutes } from './session/routes.ts'
import { ssoRoutes } from './session/sso-routes.ts'
import { type SshAddress, sshKeyRoutes } from './ssh-key/routes.ts'
import { type SystemParts, systemRoutes } from './system/routes.ts'
import { invitationRoutes } from './team/invitation-routes.ts'
import { teamRoutes } from './team/routes.ts'
import { tokenRoutes } from './token/routes.ts'
import { usageRoutes } from './usage/routes.ts'
import { userRoutes } from './user/routes.ts'
import { webhookRoutes } from './webhook/routes.ts'

export interface UseCases {
  readonly aliases: Aliases
  readonly analytics: Analytics
  readonly applications: Applications
  readonly authorizations: Authorizations
  readonly auditLog: AuditLog
  readonly backups: Backups
  readonly certificates: Certificates
  readonly changes: Changes
  readonly crons: Crons
  readonly customEnvironments: CustomEnvironments
  readonly deployments: Deployments
  readonly dnsRecords: DnsRecords
  readonly domains: Domains
  readonly drains: Drains
  readonly envVariables: EnvVariables
  readonly files: Files
  readonly git: Omit<GitRouteParts, 'tokens' | 'projects' | 'teams' | 'originOf' | keyof SystemParts>
  readonly installations: Installations
  readonly logins: Logins
  readonly logs: DeploymentLogs
  readonly operators: Operators
  readonly machines: Machines
  readonly joining: Joining
  readonly permits: Permits
  readonly previews: Previews
  readonly production: Production
  readonly projects: Projects
  readonly purges: Purges
  readonly projectDomains: ProjectDomains
  readonly quotas: Quotas
  readonly quotaSettings: QuotaSettings
  readonly registrations: Registrations
  readonly releases: Releases
  readonly secrets: Secrets
  readonly sessions: Sessions
  readonly signOn: SignOn
  readonly sshKeys: SshKeys
  readonly sshAddress: () => Promise<SshAddress | undefined>
  readonly teams: Teams
  readonly invitations: Invitations
  readonly tokens: Tokens
  readonly transfers: Transfers
  readonly webhooks: Webhooks
}

const findLogged =
  (deployments: Deployments): FindLogged =>
  async (ctx, idOrHost) => {
    const { id, name } = await deployments.find(ctx, idOrHost, 'read')
    const isFinished = async () => {
      try {
        const { state } = await deployments.find(ctx, id, 'read')
        return state === 'READY' || state === 'ERROR'
      } catch (error) {
        // One that was deleted meanwhile says no more; while the database is away there is no telling.
        return error instanceof AloftError && error.status < 500
      }
    }
    return { id, name, isFinished }
  }

/** The API's table of contents. */
export function allRoutes(
  use: UseCases,
  system: SystemParts & Pick<GitRouteParts, 'teams' | 'originOf'>,
  limits: Limits,
): readonly Route[] {
  const findPerson = createFindPerson(use.sessions, use.tokens)
  const native: readonly Route[] = [
    ...loginRoutes(use.logins, limits),
    ...approveRoutes({ ...use, ...system }),
    ...sessionRoutes({ ...use, limits, ...system }),
    ...ssoRoutes(use.signOn, findPerson),
    ...oauthRoutes({ ...use, findPerson, site: system.site }),
    ...applicationRoutes(use.applications),
    ...installationRoutes(use.installations),
    ...userRoutes,
    ...tokenRoutes(use.tokens),
    ...sshKeyRoutes(use.sshKeys, use.sshAddress),
    ...teamRoutes(use.teams, limits),
    ...invitationRoutes(use.invitations, system.site, limits),
    ...fileRoutes(use.files),
    ...deploymentRoutes(use.deployments),
    ...gitRoutes({ ...use.git, ...system, tokens: use.tokens, projects: use.projects }),
    ...previewRoutes(use.previews),
    ...logRoutes(use.logs, findLogged(use.deployments), use),
    ...projectLogRoutes(use.logs, {
      ...use,
      findProject: use.projects.get,
      findDeployment: (ctx, id) => use.deployments.find(ctx, id, 'read'),
    }),
    ...analyticsRoutes(use.analytics),
    ...aliasRoutes(use.aliases),
    ...certificateRoutes(use.certificates),
    ...registrarRoutes(use.registrations),
    ...domainRoutes(use.domains, use.registrations.transferIn, limits),
    ...dnsRecordRoutes(use.dnsRecords),
    ...projectRoutes(use.projects, system.site),
    ...productionRoutes(use.production),
    ...releaseRoutes(use.releases),
    ...transferRoutes(use.transfers),
    ...envVariableRoutes(use.envVariables),
    ...projectDomainRoutes(use.projectDomains),
    ...secretRoutes(use.secrets),
    ...webhookRoutes(use.webhooks),
    ...cacheRoutes(use.purges),
    ...cronRoutes(use.crons),
    ...customEnvironmentRoutes(use.customEnvironments),
    ...drainRoutes(use.drains),
    ...auditRoutes(use.auditLog),
    ...changeRoutes(use.changes, use),
    ...usageRoutes(use),
    ...operatorRoutes({ ...use, ...system }),
    ...machineRoutes(use),
    ...systemRoutes(system, () => native.map(({ endpoint }) => endpoint)),
  ]
  return withCompatRoutes(native, { ...use, site: system.site })
}
