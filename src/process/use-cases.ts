import { createJobCleanup } from '#core/job/job-cleanup.ts'
import type { JobHandler } from '#core/job/job-handler.ts'
import { createLoginCleanup, createLogins } from '#core/login/logins.ts'
import { createMailJob } from '#core/mail/mail-job.ts'
import { createQueueMail } from '#core/mail/queue-mail.ts'
import { createOperators } from '#core/operator/operators.ts'
import type { Mailer } from '#core/ports/mailer.ts'
import { createSecrets } from '#core/secret/secrets.ts'
import { createTeams } from '#core/team/teams.ts'
import { createTokens } from '#core/token/tokens.ts'
import type { UseCases } from '#http/routes.ts'
import type { Config } from '../config.ts'
import type { Parts } from './parts.ts'

/** Jobs that come round by themselves. */
const recurringJobs = ({ stores, clock }: Parts): readonly JobHandler[] => [
  createLoginCleanup({ store: stores.logins, clock }),
  createJobCleanup({ store: stores.jobs, clock }),
]

/** Everything the working processes do. */
export const createJobHandlers = (parts: Parts, mailer: Mailer): readonly JobHandler[] => [
  createMailJob({ mailer, vault: parts.vault }),
  ...recurringJobs(parts),
]

/** Binds the use cases to their stores and to each other. */
export function createUseCases({ baseUrl, defaultPlan }: Config, parts: Parts): UseCases {
  const { stores, transact, clock, vault } = parts
  const rules = { clock, defaultPlan }
  const queueMail = createQueueMail(vault)
  return {
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
    operators: createOperators({ ...rules, stores, transact, recurring: recurringJobs(parts) }),
  }
}
