import { html, type Raw, raw } from '#contract/html.ts'
import type { Login } from '#core/login/login.ts'
import type { User } from '#core/user/user.ts'
import { page } from '../answer/page.ts'

/** What a form of ours sends besides what people fill in. */
interface Hidden {
  readonly csrf: string
  readonly next: string
}

const none = raw('')

const hidden = ({ csrf, next }: Hidden): Raw =>
  html`<input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="next" value="${next}">`

export const askForEmail = (
  form: Hidden,
  {
    sendsMail,
    again,
  }: {
    readonly sendsMail: boolean
    readonly again: { readonly email: string; readonly problem: string } | undefined
  },
): string =>
  page(
    'Sign in',
    html`<p class="soft">${
      sendsMail
        ? "Enter your email and we'll send you a sign-in link. No password needed."
        : "Enter your email. This server has no mail server set up, so the sign-in link is printed in the server's terminal."
    }</p>
${again ? html`<p class="problem" role="alert">${again.problem}</p>` : none}
<form method="post" action="/login">${hidden(form)}
<label for="email">Email</label>
<input id="email" name="email" type="email" required autofocus maxlength="254" autocomplete="email" placeholder="you@example.com" value="${again?.email ?? ''}">
<button>${sendsMail ? 'Send sign-in link' : 'Print sign-in link'}</button></form>
<p class="soft small">New here? Your account is created when you open the link.</p>`,
  )

/** Seconds from one look to the next. */
const REFRESH = 3

/** Before anybody operates the installation, signing in leads nowhere useful. */
export const notSetUp = (): string =>
  page(
    'Not set up yet',
    html`<p>Open the setup link printed in the terminal where Aloft is running. It creates the operator account and signs you in.</p>
<p class="soft">Can't find it? Restart Aloft to print a new one. On a server, look at its log, for example with <code>journalctl -u aloft</code> or <code>docker logs</code>.</p>
<p class="soft small"><span class="pulse" aria-hidden="true"></span>This page continues automatically. <a href="/login?anyway=1">Sign in anyway</a></p>`,
    { refresh: REFRESH },
  )

const toDo = ({ email, hasMail }: Login, sendsMail: boolean): Raw =>
  hasMail && !sendsMail
    ? html`<p>This server has no mail server set up. The sign-in link for <b>${email}</b> was printed in the server's terminal. Accept it only if its page shows this security code:</p>`
    : hasMail
      ? html`<p>We sent a link to <b>${email}</b>. Accept it only if the email shows this security code:</p>`
      : html`<p>Too many emails have been sent to <b>${email}</b>, so we didn't send another. Open the link in the most recent one and enter this security code:</p>`

export const waiting = (
  login: Login,
  { next, sendsMail }: { readonly next: string; readonly sendsMail: boolean },
): string =>
  page(
    sendsMail ? 'Check your email' : "Check the server's terminal",
    html`${toDo(login, sendsMail)}
<p class="code">${login.securityCode}</p>
<p class="soft"><span class="pulse" aria-hidden="true"></span>Waiting for you to open the link. This page continues automatically.</p>
<p class="soft small">${sendsMail ? 'No email? Check your spam folder, or ' : 'No access to that terminal? Ask your operator to set ALOFT_SMTP_URL, or '}<a href="/login?next=${encodeURIComponent(next)}">use a different email</a>. The link is valid for 30 minutes.</p>`,
    { refresh: REFRESH },
  )

export const lapsed = (again: string): string =>
  page(
    'Sign-in expired',
    html`<p>The link wasn't opened within 30 minutes, or was already used.</p>
<p><a class="button" href="${again}">Sign in again</a></p>`,
  )

const who = ({ email, username }: User): Raw =>
  html`<p class="who"><b>${email}</b><span>${username}</span></p>`

export const signedIn = (user: User, form: Hidden): string =>
  page(
    'You’re signed in',
    html`${who(user)}
<p><a class="button" href="/">Continue</a></p>
<form method="post" action="/logout">${hidden(form)}<span class="soft small">Not you? <button class="plain">Sign in with a different account</button></span></form>`,
  )

export const askToLeave = (user: User, form: Hidden): string =>
  page(
    'Sign out?',
    html`${who(user)}
<form method="post" action="/logout">${hidden(form)}<button>Sign out</button></form>
<p class="soft small">This only signs out this browser. API tokens keep working.</p>`,
  )

/** `form` is missing where the caller has no session to leave. */
export const noAccess = (user: User, host: string, form: Hidden | undefined): string =>
  page(
    'Access denied',
    html`<p>You're signed in as <b>${user.email}</b>, which doesn't have access to <b>${host}</b>.</p>
<p class="soft">Only the account that owns the site, or members of its team, can view it.</p>
${form ? html`<form method="post" action="/logout">${hidden(form)}<button>Sign in with a different account</button></form>` : none}`,
  )
