import { buildHint } from '#contract/build/build-hint.ts'
import { html, raw } from '#contract/html.ts'
import { sentence } from '#contract/words/wording.ts'
import type { Deployment, Failure } from '../deployment/deployment.ts'
import { MAIL_SMALL, mailButton, mailPage, mailText } from '../mail/mail-page.ts'
import { strangerLine, strangerText } from '../mail/stranger-text.ts'
import type { Mail } from '../ports/mailer.ts'

export interface QuotedLine {
  /** Its place in the log, from 1. */
  readonly number: number
  readonly text: string
}

/** Tells whoever deployed why the build failed, with the lines of its log that say so, and what to try. */
export function failedBuildMail(
  to: string,
  about: {
    readonly deployment: Pick<Deployment, 'id' | 'target'>
    readonly project: string
    readonly failure: Failure
    readonly lines: readonly QuotedLine[]
  },
  baseUrl: string,
): Mail {
  const { deployment, failure, lines } = about
  const project = strangerText(about.project)
  const target = deployment.target === 'production' ? 'production' : 'preview'
  const subject = `Build failed: ${project} (${target})`
  const why = sentence(strangerLine(failure.message))
  const hint = strangerLine(
    buildHint(
      failure.code,
      lines.map(({ text }) => text),
    ),
  )
  const [first] = lines
  const link = `${baseUrl}/deployments/${deployment.id}${first ? `#L${first.number}` : ''}`
  const quoted = lines.map(({ number, text }) => `${number}  ${strangerLine(text)}`)
  const stays = target === 'production' ? ' Production is unchanged.' : ''
  const off = 'To stop these emails, turn off “Email on failed builds” in the settings of the project.'
  return {
    to,
    subject,
    text: `The ${target} build of ${project} failed.${stays}
${why}
${quoted.map((line) => `\n    ${line}`).join('')}

What to try: ${hint}

Build log: ${link}

${off}
`,
    html: mailPage(
      `The ${target} build of ${project} failed`,
      html`<p>${why}${stays}</p>
${raw(quoted.length === 0 ? '' : quote(quoted))}
<p><b>What to try:</b> ${mailText(hint)}</p>
${mailButton(link, 'Open the build log')}
<p style="${MAIL_SMALL}">${off}</p>`,
    ),
  }
}

const quote = (lines: readonly string[]): string =>
  html`<pre style="font:13px/1.5 ui-monospace,monospace;padding:.8em 1em;
border:1px solid #8888;border-left:3px solid #d33;border-radius:8px;
white-space:pre-wrap;overflow-wrap:anywhere">
${raw(lines.map((line) => html`${line}`.text).join('\n'))}</pre>`.text
