import { html } from '#contract/html.ts'
import { mailPage } from '../mail/mail-page.ts'
import { strangerText } from '../mail/stranger-text.ts'
import type { Mail } from '../ports/mailer.ts'
import type { Drain } from './drain.ts'

/** Tells somebody that no logs are sent to a drain any more. */
export function deadDrainMail(to: string, drain: Drain, baseUrl: string): Mail {
  const { id, url } = drain
  const name = strangerText(drain.name)
  const subject = 'A log drain was switched off'
  const host = strangerText(new URL(url).host)
  const why = `No logs that were sent to ${host} have arrived for 24 hours, so the log drain "${name}" gets none any more.`
  const how = `Once ${host} answers again, delete the drain (DELETE ${baseUrl}/v1/log-drains/${id}) and make it anew.`
  return {
    to,
    subject,
    text: `${why}\n\n${how}\n`,
    html: mailPage(
      subject,
      html`<p>No logs that were sent to <b>${host}</b> have arrived for 24 hours, so the log drain <b>${name}</b> gets none any more.</p>
<p>Once it answers again, delete the drain and make it anew:<br>
<code>DELETE ${baseUrl}/v1/log-drains/${id}</code></p>`,
    ),
  }
}
