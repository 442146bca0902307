import { html } from '#contract/html.ts'
import { mailPage } from '../mail/mail-page.ts'
import { strangerText } from '../mail/stranger-text.ts'
import type { Mail } from '../ports/mailer.ts'
import type { Installation, ScopeChange } from './installation.ts'
import { scopeList } from './scope-change.ts'

interface About {
  readonly to: string
  readonly application: string
  readonly installation: Installation
  readonly baseUrl: string
}

/** The request that does what a mail asks for. */
const callOf = ({ installation, baseUrl }: About, what: string): string => {
  const team = installation.teamId === null ? '' : `?teamId=${installation.teamId}`
  return `POST ${baseUrl}/v1/integrations/configuration/${installation.id}/${what}${team}`
}

/** Asks somebody to agree to what an application wants to do besides. */
export function moreScopesMail(about: About, { added, upgraded, note: said }: ScopeChange): Mail {
  const { to } = about
  const application = strangerText(about.application)
  const note = said === null ? null : strangerText(said, 200)
  const subject = `${application} asks for more access`
  const wanted = [...scopeList(added), ...scopeList(upgraded)].join(', ')
  const call = callOf(about, 'confirm-scopes')
  return {
    to,
    subject,
    text: `The application "${application}", which is installed in your account, asks for: ${wanted}.\n${
      note === null ? '' : `\nIt says: ${note}\n`
    }\nUntil you agree it goes on with what it has. To agree:\n${call}\n`,
    html: mailPage(
      subject,
      html`<p>The application <b>${application}</b>, which is installed in your account, asks for:</p>
<p><code>${wanted}</code></p>
${note === null ? '' : html`<p>It says: ${note}</p>`}
<p>Until you agree it goes on with what it has. To agree:<br><code>${call}</code></p>`,
    ),
  }
}

/** Asks an OWNER to take over what somebody left behind. */
export function disabledMail(about: About): Mail {
  const { to } = about
  const application = strangerText(about.application)
  const subject = `${application} was switched off`
  const why = 'Whoever installed it left the team, so it may not do anything there any more.'
  const call = callOf(about, 'transfer')
  const end = 'It is removed after 30 days.'
  return {
    to,
    subject,
    text: `The application "${application}" was switched off. ${why}\n\nTo take it over, send {"userId": "<an OWNER>"}:\n${call}\n\nElse nothing has to be done. ${end}\n`,
    html: mailPage(
      subject,
      html`<p>The application <b>${application}</b> was switched off.<br>
${why}</p>
<p>To take it over, send <code>{"userId": "&lt;an OWNER&gt;"}</code>:<br><code>${call}</code></p>
<p>Else nothing has to be done. ${end}</p>`,
    ),
  }
}
