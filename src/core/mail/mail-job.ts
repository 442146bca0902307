import { MINUTE } from '#contract/time.ts'
import type { JobHandler } from '../job/job-handler.ts'
import type { Mailer } from '../ports/mailer.ts'
import type { Vault } from '../ports/vault.ts'
import { MAIL_JOB, openMail } from './queue-mail.ts'

export const createMailJob = ({ mailer, vault }: { mailer: Mailer; vault: Vault }): JobHandler => ({
  kind: MAIL_JOB,
  summary: 'Send an email',
  timeLimit: MINUTE,
  // Whoever wants to log in waits for no clean-up.
  apart: 4,
  maxAttempts: 10,
  run: (payload, { id }) => mailer.send(openMail(vault, payload as { readonly sealed: string }), id),
})
