import { html } from '#contract/html.ts'
import { page } from '../page.ts'

export const askForOperator = (token: string): string =>
  page(
    'Set up this installation',
    html`<p>You hold the one-time link that was printed when Aloft first started. The address you enter becomes the operator of this installation.</p>
<form method="post" action="/setup"><input type="hidden" name="token" value="${token}">
<label for="email">Your e-mail address</label><input id="email" name="email" type="email" required autofocus autocomplete="email">
<button>Become the operator</button></form>`,
  )

export const setUpDone = (email: string, bearer: string, site: string): string =>
  page(
    'Aloft is yours',
    html`<p><b>${email}</b> operates this installation, and this browser is signed in. The first site is a folder away:</p>
<p><a class="button" href="/">Open the dashboard</a></p>
<h2>For the command line</h2>
<p>This is your API token; it is shown this once:</p>
<p class="code mono">${bearer}</p>
<p>Try it:</p>
<pre tabindex="0">curl -H "Authorization: Bearer ${bearer}" ${site}/v2/user</pre>
<p class="soft">You can make further tokens in the dashboard, or with <code>npx aloft token create</code>. <a href="/docs">The API reference</a> says what they are good for.</p>`,
  )
