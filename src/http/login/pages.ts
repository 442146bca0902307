import { html, type Raw, raw } from '#contract/html.ts'
import { utcTime } from '#contract/words/wording.ts'
import type { Login } from '#core/login/login.ts'
import type { Review } from '#core/login/logins.ts'
import type { User } from '#core/user/user.ts'
import { page } from '../answer/page.ts'

/** Without a button that accepts what a stranger asked for by mistake: the code has to be entered. */
const askForCode = (link: string) =>
  html`<form method="post" action="/login/accept"><input type="hidden" name="token" value="${link}">
<label for="code">Does your browser or terminal show a different code? Enter it here.</label>
<input id="code" name="code" required maxlength="100" autocomplete="off" placeholder="Swift Otter">
<button>Accept with this code</button></form>`

export const askToAccept = ({ login, isShared }: Review, link: string): string =>
  page(
    'Log in to Aloft?',
    html`<p>Continue only if the browser or terminal where you're signing in shows this security code:</p>
<p class="code">${login.securityCode}</p>
<dl>
<dt>Account</dt><dd>${login.email}</dd>
<dt>Requested by</dt><dd>${login.tokenName}</dd>
<dt>IP address</dt><dd>${login.ip}</dd>
<dt>Client</dt><dd>${login.userAgent || 'unknown'}</dd>
<dt>Time</dt><dd>${utcTime(login.createdAt)}</dd>
</dl>
<form method="post" action="/login/accept"><input type="hidden" name="token" value="${link}"><button>Accept</button></form>
${isShared ? askForCode(link) : raw('')}
<p class="soft">If you didn't request this, close this page. Nothing will happen.</p>`,
  )

export const askToApprove = (user: User, logins: readonly Login[], csrf: string): string =>
  page(
    'Approve a login',
    logins.length === 0
      ? html`<p>No login is waiting for <b>${user.email}</b>.</p>
<p class="soft">Run <code>aloft login ${user.email}</code>, then open this page again.</p>`
      : html`<p>Approve only if the browser or terminal where you're signing in shows the same security code.</p>
${raw(logins.map((login) => waitingLogin(login, csrf).text).join('\n'))}
<p class="soft">If you didn't request this, close this page. Nothing will happen.</p>`,
  )

const waitingLogin = (login: Login, csrf: string): Raw =>
  html`<p class="code">${login.securityCode}</p>
<dl>
<dt>Requested by</dt><dd>${login.tokenName}</dd>
<dt>IP address</dt><dd>${login.ip}</dd>
<dt>Time</dt><dd>${utcTime(login.createdAt)}</dd>
</dl>
<form method="post" action="/login/approve"><input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="id" value="${login.id}"><button>Approve</button></form>`

export const accepted = (login: Login): string =>
  page(
    'You’re signed in',
    html`<p><b>${login.tokenName}</b> is now signed in as <b>${login.email}</b>. You can close this page and return to it.</p>`,
  )
