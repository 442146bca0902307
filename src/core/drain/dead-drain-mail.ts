import { noticeMail } from '../mail/notice-mail.ts'
import { strangerText } from '../mail/stranger-text.ts'
import type { Mail } from '../ports/mailer.ts'
import type { Drain } from './drain.ts'

/** Tells somebody that no logs are sent to a drain any more. */
export function deadDrainMail(to: string, { ownerId, url, name }: Drain, baseUrl: string): Mail {
  const host = strangerText(new URL(url).host)
  return noticeMail(to, {
    subject: 'A log drain was disabled',
    says: [
      `${host} has not accepted any logs for 24 hours, so the log drain "${strangerText(name)}" was disabled.`,
      `Once ${host} responds again, delete the log drain and create it again.`,
    ],
    button: { label: 'Open log drains', link: `${baseUrl}/a/${ownerId}/drains` },
  })
}
