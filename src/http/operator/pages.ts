import { html } from '#contract/html.ts'
import { page } from '../page.ts'

export const askForOperator = (token: string): string =>
  page(
    'Set up this installation',
    html`<p>You opened the one-time link that was printed when Aloft first started. Enter your email to create the operator account.</p>
<form method="post" action="/setup"><input type="hidden" name="token" value="${token}">
<label for="email">Your email</label><input id="email" name="email" type="email" required autofocus autocomplete="email">
<button>Create operator account</button></form>`,
  )

export const setUpDone = (email: string, bearer: string, site: string): string =>
  page(
    'Aloft is yours',
    html`<p><b>${email}</b> is the operator of this installation, and this browser is signed in. Next, deploy your first site:</p>
<p><a class="button" href="/">Open the dashboard</a></p>
<h2>Command line</h2>
<p>This is your API token; it is shown this once:</p>
<p class="code mono">${bearer}</p>
<p>Try it:</p>
<pre tabindex="0">curl -H "Authorization: Bearer ${bearer}" ${site}/v2/user</pre>
<p class="soft">Create more tokens in the dashboard, or with <code>aloft token create</code>. See the <a href="/docs">API reference</a> for what you can do with them.</p>`,
  )
