import { html, type Raw, raw } from '#contract/html.ts'
import type { Login } from '#core/login/login.ts'
import type { User } from '#core/user/user.ts'
import { page } from '../page.ts'

/** What a form of ours sends besides what people fill in. */
export interface Hidden {
  readonly csrf: string
  readonly next: string
}

const none = raw('')

const hidden = ({ csrf, next }: Hidden): Raw =>
  html`<input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="next" value="${next}">`

export const askForEmail = (
  form: Hidden,
  again?: { readonly email: string; readonly problem: string },
): string =>
  page(
    'Sign in',
    html`<p class="soft">Enter your e-mail address. We send you a link; there is no password.</p>
${again ? html`<p class="problem" role="alert">${again.problem}</p>` : none}
<form method="post" action="/login">${hidden(form)}
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" required autofocus maxlength="254" autocomplete="email" placeholder="you@example.com" value="${again?.email ?? ''}">
<button>Send me a link</button></form>
<p class="soft small">New here? Your account is made when you open the link.</p>`,
  )

/** Seconds from one look to the next. */
const REFRESH = 3

const toDo = ({ email, hasMail }: Login): Raw =>
  hasMail
    ? html`<p>We sent a link to <b>${email}</b>. Accept only if the mail shows this security code:</p>`
    : html`<p>So many mails were sent to <b>${email}</b> that there is none for this sign-in. Open the link of the newest one, and enter this security code there:</p>`

export const waiting = (login: Login, next: string): string =>
  page(
    'Check your mail',
    html`${toDo(login)}
<p class="code">${login.securityCode}</p>
<p class="soft"><span class="pulse" aria-hidden="true"></span>Waiting for you to accept. This page goes on by itself.</p>
<p class="soft small">No mail? Look in the spam folder, or <a href="/login?next=${encodeURIComponent(next)}">try another address</a>. The link is valid for 30 minutes.</p>`,
    { refresh: REFRESH },
  )

export const lapsed = (again: string): string =>
  page(
    'This sign-in is over',
    html`<p>It was not accepted within 30 minutes, or it was used already.</p>
<p><a class="button" href="${again}">Sign in again</a></p>`,
  )

const who = ({ email, username }: User): Raw =>
  html`<p class="who"><b>${email}</b><span>${username}</span></p>`

export const signedIn = (user: User, form: Hidden): string =>
  page(
    'You are signed in',
    html`${who(user)}
<p><a class="button" href="/">Go on</a></p>
<form method="post" action="/logout">${hidden(form)}<span class="soft small">Not you? <button class="plain">Sign in as somebody else</button></span></form>`,
  )

export const askToLeave = (user: User, form: Hidden): string =>
  page(
    'Sign out?',
    html`${who(user)}
<form method="post" action="/logout">${hidden(form)}<button>Sign out</button></form>
<p class="soft small">Only this browser is signed out. API tokens go on working.</p>`,
  )

/** `form` is missing where the caller has no session to leave. */
export const noAccess = (user: User, host: string, form: Hidden | undefined): string =>
  page(
    'No access',
    html`<p>You are signed in as <b>${user.email}</b>, who has no access to <b>${host}</b>.</p>
<p class="soft">Only the account that owns a site, or the members of its team, may open it.</p>
${form ? html`<form method="post" action="/logout">${hidden(form)}<button>Sign in as somebody else</button></form>` : none}`,
  )
