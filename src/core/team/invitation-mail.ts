import type { Role } from '#contract/api/team.ts'
import { html } from '#contract/html.ts'
import { utcTime } from '#contract/words/wording.ts'
import { mailButton, mailPage } from '../mail/mail-page.ts'
import { strangerText } from '../mail/stranger-text.ts'
import type { Mail } from '../ports/mailer.ts'
import type { User } from '../user/user.ts'

export function invitationMail(invitation: {
  readonly to: string
  readonly team: string
  readonly inviter: User
  readonly role: Role
  readonly baseUrl: string
}): Mail {
  const { to, inviter, role, baseUrl } = invitation
  const team = strangerText(invitation.team)
  const as = role === 'OWNER' ? 'an owner' : 'a member'
  const text = `${inviter.email} added you to the team "${team}" as ${as}.\n\nOpen the team: ${baseUrl}\n`
  return {
    to,
    subject: `You are now a member of ${team}`,
    text,
    html: mailPage(
      `You are now a member of ${team}`,
      html`<p><b>${inviter.email}</b> added you to the team <b>${team}</b> as ${as}.</p>
${mailButton(baseUrl, 'Open the team')}`,
    ),
  }
}

/** To somebody who need not have an account: the link makes one. */
export function joinMail(invitation: {
  readonly to: string
  readonly team: string
  readonly inviter: User
  readonly role: Role
  readonly link: string
  readonly expiresAt: number
}): Mail {
  const { to, inviter, role, link, expiresAt } = invitation
  const team = strangerText(invitation.team)
  const as = role === 'OWNER' ? 'an owner' : 'a member'
  return {
    to,
    link,
    subject: `${inviter.email} invited you to ${team} on Aloft`,
    text: `${inviter.email} invited you to join the team "${team}" as ${as}.

To accept, open this link:

${link}

It works once and expires in 7 days, on ${utcTime(expiresAt)}.
If you didn't expect this, ignore this email.
`,
    html: mailPage(
      `Join ${team}`,
      html`<p><b>${inviter.email}</b> invited you to join the team <b>${team}</b> as ${as}.</p>
${mailButton(link, 'Accept invitation')}
<p>The link works once and expires in 7 days,<br>on ${utcTime(expiresAt)}.<br>
If you didn't expect this, ignore this email.</p>`,
    ),
  }
}
