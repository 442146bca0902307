import { html, raw } from '#contract/html.ts'
import type { Mail } from '../ports/mailer.ts'
import { mailButton, mailPage, mailText } from './mail-page.ts'

/** A mail that says what happened, why and what to do, with one button. Its sentences are safe to show as they are. */
export function noticeMail(
  to: string,
  notice: {
    readonly subject: string
    /** A paragraph each. */
    readonly says: readonly string[]
    readonly button: { readonly label: string; readonly link: string }
    readonly after?: readonly string[]
  },
): Mail {
  const { subject, says, button, after = [] } = notice
  const paragraphs = (texts: readonly string[]) =>
    raw(texts.map((text) => html`<p>${mailText(text)}</p>`.text).join('\n'))
  return {
    to,
    subject,
    text: `${[...says, `${button.label}: ${button.link}`, ...after].join('\n\n')}\n`,
    html: mailPage(
      subject,
      html`${paragraphs(says)}
${mailButton(button.link, button.label)}
${paragraphs(after)}`,
    ),
  }
}
