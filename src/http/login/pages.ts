import { html, raw } from '#contract/html.ts'
import { iso } from '#contract/time.ts'
import type { Login } from '#core/login/login.ts'
import type { Review } from '#core/login/logins.ts'
import { page } from '../page.ts'

/** Without a button that accepts what a stranger asked for by mistake: the code has to be entered. */
const askForCode = (link: string) =>
  html`<form method="post" action="/login/accept"><input type="hidden" name="token" value="${link}">
<label for="code">Does the program show another security code? Enter it here.</label>
<input id="code" name="code" required maxlength="100" autocomplete="off" placeholder="Swift Otter">
<button>Accept the login with this code</button></form>`

export const askToAccept = ({ login, isShared }: Review, link: string): string =>
  page(
    'Log in to Aloft?',
    html`<p>Go on only if the program that asks shows this security code:</p>
<p class="code">${login.securityCode}</p>
<dl>
<dt>Account</dt><dd>${login.email}</dd>
<dt>Asked by</dt><dd>${login.tokenName}</dd>
<dt>From</dt><dd>${login.ip}</dd>
<dt>Program</dt><dd>${login.userAgent || 'unknown'}</dd>
<dt>At</dt><dd>${iso(login.createdAt)}</dd>
</dl>
<form method="post" action="/login/accept"><input type="hidden" name="token" value="${link}"><button>Accept the login</button></form>
${isShared ? askForCode(link) : raw('')}
<p class="soft">If you did not ask for this, close this page: nothing happens.</p>`,
  )

export const accepted = (login: Login): string =>
  page(
    'You are logged in',
    html`<p><b>${login.tokenName}</b> may now act as <b>${login.email}</b>. You can close this page and go back to it.</p>`,
  )
