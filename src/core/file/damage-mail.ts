import { html } from '#contract/html.ts'
import { mailPage } from '../mail/mail-page.ts'
import type { Mail } from '../ports/mailer.ts'

/** Tells an operator that stored files are not what they were. */
export function damageMail(to: string, count: number, baseUrl: string): Mail {
  const files = `${count} stored ${count === 1 ? 'file' : 'files'}`
  const subject = `${files} found damaged`
  const what = `A check of what is stored at ${baseUrl} found ${files} damaged. This is most often a failing disk.`
  const how =
    'Deploying the same files again heals them; so does restoring a backup. The log of the server names them: look for "a stored content is damaged".'
  return {
    to,
    subject,
    text: `${what}\n\n${how}\n`,
    html: mailPage(subject, html`<p>${what}</p><p>${how}</p>`),
  }
}
