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
    html`<p><b>${email}</b> operates this installation. This is your API token; it is shown this once:</p>
<p class="code mono">${bearer}</p>
<p>Try it:</p>
<pre>curl -H "Authorization: Bearer ${bearer}" ${site}/v2/user</pre>
<p class="soft">Use <code>npx aloft token create</code> to make further tokens, and <a href="/docs">the API reference</a> to see what it can do.</p>`,
  )
