import { html } from '#contract/html.ts'
import { mailButton, mailPage } from '../mail/mail-page.ts'
import { strangerText } from '../mail/stranger-text.ts'
import type { Mail } from '../ports/mailer.ts'
import type { Login } from './login.ts'

export function loginMail(login: Login, link: string): Mail {
  const asking = strangerText(login.tokenName)
  return {
    to: login.email,
    link,
    subject: `Log in to Aloft: ${login.securityCode}`,
    text: `Somebody asks to log in to Aloft as ${login.email}:
"${asking}" at ${login.ip}.

Go on only if the security code shown there is:

    ${login.securityCode}

To accept, open this link and confirm:

${link}

If another code is shown there, open the link and enter that code: after
many requests one mail serves them all.

It is valid for 30 minutes.
If you did not ask for this, ignore this mail: nothing happens.
`,
    html: mailPage(
      'Log in to Aloft',
      html`<p>Somebody asks to log in to Aloft as ${login.email}:<br>
&quot;${asking}&quot; at ${login.ip}.</p>
<p>Go on only if the security code shown there is:</p>
<p style="font-size:1.4em;font-weight:600;padding:.6em 1em;
border:1px solid #8888;border-radius:8px;text-align:center">
${login.securityCode}</p>
${mailButton(link, 'Review and accept')}
<p>If another code is shown there, open the link and enter that
code: after many requests one mail serves them all.</p>
<p>The link is valid for 30 minutes.<br>
If you did not ask for this, ignore this mail: nothing happens.</p>`,
    ),
  }
}
