import { html } from '#contract/html.ts'
import { mailPage } from '../mail/mail-page.ts'
import { strangerText } from '../mail/stranger-text.ts'
import type { Mail } from '../ports/mailer.ts'
import type { Webhook } from './webhook.ts'

/** Tells somebody that nothing is sent to a webhook any more. */
export function deadWebhookMail(to: string, { id, url: given }: Webhook, baseUrl: string): Mail {
  const url = strangerText(new URL(given).host)
  const subject = 'A webhook was switched off'
  const why = `Nothing that was sent to ${url} has arrived for three days, so nothing more is sent to it.`
  const how = `Once it answers again, switch it on: PATCH ${baseUrl}/v1/webhooks/${id} with {"enabled": true}.`
  return {
    to,
    subject,
    text: `${why}\n\n${how}\n`,
    html: mailPage(
      subject,
      html`<p>Nothing that was sent to <b>${url}</b> has arrived for three days, so nothing more is sent to it.</p>
<p>Once it answers again, switch it on:<br>
<code>PATCH ${baseUrl}/v1/webhooks/${id}</code><br><code>{"enabled": true}</code></p>`,
    ),
  }
}
