import { html } from '#contract/html.ts'
import { mailPage } from '../mail/mail-page.ts'
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
  const subject =
    trouble.kind === 'failed' ? `A schedule of ${name} keeps failing` : `A schedule of ${name} did not run`
  const what =
    trouble.kind === 'failed'
      ? `The last ${cron.failures} runs of ${path} (${cron.schedule}) failed.`
      : `A run of ${path} (${cron.schedule}) did not happen.`
  const link = `${baseUrl}/projects/${cron.projectId}`
  return {
    to,
    subject,
    text: `${what}\n${trouble.message}\n\nIts runs and their logs: ${link}\n`,
    html: mailPage(
      subject,
      html`<p>${what}</p><p>${trouble.message}</p><p><a href="${link}">Its runs and their logs</a></p>`,
    ),
  }
}
