import type { JobQueue } from '../job/job-queue.ts'
import type { Mail } from '../ports/mailer.ts'
import type { Vault } from '../ports/vault.ts'

export const MAIL_JOB = 'mail.send'
const PURPOSE = 'mail'

/** Puts a mail into the outgoing queue, as a part of the transaction that causes it. */
export type QueueMail = (jobs: JobQueue, mail: Mail) => Promise<void>

/** Mails hold links that log people in, so they wait in the database sealed. */
export const createQueueMail =
  (vault: Vault): QueueMail =>
  async (jobs, mail) => {
    await jobs.enqueue({ kind: MAIL_JOB, payload: { sealed: vault.seal(JSON.stringify(mail), PURPOSE) } })
  }

export const openMail = (vault: Vault, payload: { readonly sealed: string }): Mail =>
  JSON.parse(vault.open(payload.sealed, PURPOSE)) as Mail
