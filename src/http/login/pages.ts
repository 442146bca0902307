import { html } from '#contract/html.ts'
import { iso } from '#contract/time.ts'
import type { Login } from '#core/login/login.ts'
import { page } from '../page.ts'

export const askToAccept = (login: Login, link: string): string =>
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
<p class="soft">If you did not ask for this, close this page: nothing happens.</p>`,
  )

export const accepted = (login: Login): string =>
  page(
    'You are logged in',
    html`<p><b>${login.tokenName}</b> may now act as <b>${login.email}</b>. You can close this page and go back to it.</p>`,
  )
