import { html } from '#contract/html.ts'
import { utcTime } from '#contract/words/wording.ts'
import { mailButton, mailPage } from '../mail/mail-page.ts'
import { strangerText } from '../mail/stranger-text.ts'
import type { Mail } from '../ports/mailer.ts'
import type { Login } from './login.ts'

export function loginMail(login: Login, link: string): Mail {
  const asking = strangerText(login.tokenName)
  const until = utcTime(login.expiresAt)
  return {
    to: login.email,
    link,
    subject: `Log in to Aloft: ${login.securityCode}`,
    text: `Someone wants to log in to Aloft as ${login.email}:
"${asking}" from ${login.ip}.

Continue only if this security code is shown there:

    ${login.securityCode}

To approve, open this link and confirm:

${link}

If a different code is shown there, open the link and enter that code:
after many requests, one email is used for all of them.

The link is valid for 30 minutes, until ${until}.
If this wasn't you, ignore this email: nothing happens.
`,
    html: mailPage(
      'Log in to Aloft',
      html`<p>Someone wants to log in to Aloft as ${login.email}:<br>
&quot;${asking}&quot; from ${login.ip}.</p>
<p>Continue only if this security code is shown there:</p>
<p style="font-size:1.4em;font-weight:600;padding:.6em 1em;
border:1px solid #8888;border-radius:8px;text-align:center">
${login.securityCode}</p>
${mailButton(link, 'Review and approve')}
<p>If a different code is shown there, open the link and enter that
code: after many requests, one email is used for all of them.</p>
<p>The link is valid for 30 minutes,<br>until ${until}.<br>
If this wasn't you, ignore this email: nothing happens.</p>`,
    ),
  }
}
