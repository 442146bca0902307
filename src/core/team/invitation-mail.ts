import type { Role } from '#contract/api/team.ts'
import { html } from '#contract/html.ts'
import { mailPage } from '../mail/mail-page.ts'
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
  const text = `${inviter.email} added you to the team "${team}" as ${role}.\n\nOpen ${baseUrl} to see it.\n`
  return {
    to,
    subject: `You are now a member of ${team}`,
    text,
    html: mailPage(
      `You are now a member of ${team}`,
      html`<p><b>${inviter.email}</b> added you to the team <b>${team}</b> as ${role}.</p>
<p><a href="${baseUrl}">Open Aloft</a></p>`,
    ),
  }
}
