import { noticeMail } from '../mail/notice-mail.ts'
import { strangerText } from '../mail/stranger-text.ts'
import type { Mail } from '../ports/mailer.ts'
import type { Cron } from './cron.ts'

export interface CronTrouble {
  readonly kind: 'failed' | 'missed'
  /** What happened last, in words. */
  readonly message: string
}

/** Tells somebody that a schedule does not do what it should. */
export function cronMail(
  to: string,
  {
    cron,
    project,
    trouble,
  }: { readonly cron: Cron; readonly project: string; readonly trouble: CronTrouble },
  baseUrl: string,
): Mail {
  const [name, path] = [strangerText(project), strangerText(cron.path)]
  const failed = trouble.kind === 'failed'
  return noticeMail(to, {
    subject: failed ? `A scheduled job of ${name} keeps failing` : `A scheduled job of ${name} did not run`,
    says: [
      failed
        ? `The last ${cron.failures} runs of ${path} (${cron.schedule}, ${cron.timeZone}) failed.`
        : `A run of ${path} (${cron.schedule}, ${cron.timeZone}) was missed.`,
      trouble.message,
    ],
    button: {
      label: 'View runs and logs',
      link: `${baseUrl}/a/${cron.ownerId}/projects/${cron.projectId}/crons`,
    },
  })
}
