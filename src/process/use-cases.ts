import { AloftError } from '#contract/errors.ts'
import type { Owner } from '#core/access/context.ts'
import { createAliases } from '#core/alias/aliases.ts'
import { createAbandonedJob } from '#core/deployment/abandoned-job.ts'
import { createDeployments } from '#core/deployment/deployments.ts'
import { createSecretValues } from '#core/deployment/secret-values.ts'
import { createCollectJob } from '#core/file/collect-job.ts'
import { createFiles } from '#core/file/files.ts'
import { createJobCleanup } from '#core/job/job-cleanup.ts'
import type { JobHandler } from '#core/job/job-handler.ts'
import { createDeploymentLogs } from '#core/log/deployment-logs.ts'
import { createForgetJob } from '#core/log/forget-job.ts'
import { createLogCleanup } from '#core/log/log-cleanup.ts'
import { createLoginCleanup, createLogins } from '#core/login/logins.ts'
import { createMailJob } from '#core/mail/mail-job.ts'
import { createQueueMail } from '#core/mail/queue-mail.ts'
import { createOperators } from '#core/operator/operators.ts'
import type { Mailer } from '#core/ports/mailer.ts'
import { createResolveSecrets } from '#core/secret/resolve-secrets.ts'
import { createSecrets } from '#core/secret/secrets.ts'
import { SITES_TOPIC } from '#core/site/site.ts'
import { createTeams } from '#core/team/teams.ts'
import { createTokens } from '#core/token/tokens.ts'
import type { UseCases } from '#http/routes.ts'
import type { Config } from '../config.ts'
import type { Parts } from './parts.ts'

/** Jobs that come round by themselves. */
const recurringJobs = ({ stores, blobs, logStore, clock }: Parts): readonly JobHandler[] => [
  createLoginCleanup({ store: stores.logins, clock }),
  createJobCleanup({ store: stores.jobs, clock }),
  createAbandonedJob({ store: stores.deployments, clock }),
  createLogCleanup({ store: logStore, clock }),
  createCollectJob({ files: stores.files, deployments: stores.deployments, blobs, clock }),
]

/** Everything the working processes do. */
export const createJobHandlers = (parts: Parts, mailer: Mailer): readonly JobHandler[] => [
  createMailJob({ mailer, vault: parts.vault }),
  createForgetJob({ store: parts.logStore }),
  ...recurringJobs(parts),
]

/** Binds the use cases to their stores and to each other. */
export function createUseCases({ baseUrl, defaultPlan, domain }: Config, parts: Parts): UseCases {
  const { stores, transact, clock, vault, blobs, bus } = parts
  const onHostsChanged = (hosts: readonly string[]) => {
    for (const host of hosts) bus.publish(SITES_TOPIC, host)
  }
  const rules = { clock, defaultPlan }
  const queueMail = createQueueMail(vault)
  const naming = { domain, checkCustomHost, onHostsChanged }
  const deployments = createDeployments({
    ...naming,
    store: stores.deployments,
    files: stores.files,
    transact,
    blobs,
    vault,
    clock,
    resolveSecrets: createSecretValues(createResolveSecrets(vault)),
  })
  return {
    deployments,
    logs: createDeploymentLogs({ store: parts.logStore, bus }),
    aliases: createAliases({
      ...naming,
      store: stores.hosts,
      deployments: stores.deployments,
      transact,
      clock,
    }),
    files: createFiles({ blobs, store: stores.files, clock, onUploaded: deployments.fileArrived }),
    tokens: createTokens({ store: stores.tokens, clock }),
    logins: createLogins({
      ...rules,
      store: stores.logins,
      users: stores.users,
      transact,
      queueMail,
      baseUrl,
    }),
    teams: createTeams({ ...rules, store: stores.teams, transact, queueMail, baseUrl }),
    secrets: createSecrets({ store: stores.secrets, transact, vault, clock }),
    operators: createOperators({
      ...rules,
      stores,
      transact,
      recurring: recurringJobs(parts),
      onBlockChanged: () => onHostsChanged(['*']),
    }),
  }
}

/** No account holds a domain of its own yet. */
async function checkCustomHost(_owner: Owner, host: string): Promise<void> {
  throw new AloftError('not_found', `The domain of \`${host}\` is not in your account: add it first.`, {
    name: host,
  })
}
