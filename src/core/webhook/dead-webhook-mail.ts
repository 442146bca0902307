import { noticeMail } from '../mail/notice-mail.ts'
import { strangerText } from '../mail/stranger-text.ts'
import type { Mail } from '../ports/mailer.ts'
import type { Webhook } from './webhook.ts'

/** Tells somebody that nothing is sent to a webhook any more. */
export function deadWebhookMail(to: string, { id, ownerId, url }: Webhook, baseUrl: string): Mail {
  const host = strangerText(new URL(url).host)
  return noticeMail(to, {
    subject: 'A webhook was disabled',
    says: [
      `${host} has not accepted any event for three days, so the webhook was disabled.`,
      'Once it responds again, enable the webhook and redeliver the events it missed.',
    ],
    button: { label: 'Open the webhook', link: `${baseUrl}/a/${ownerId}/webhooks/${id}` },
  })
}
