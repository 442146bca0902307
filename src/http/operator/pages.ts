import { createHash } from 'node:crypto'
import type { RawReply } from '#contract/endpoint.ts'
import { html, type Raw, raw } from '#contract/html.ts'
import { page, pageReply } from '../answer/page.ts'

export const askForOperator = (token: string): string =>
  page(
    'Set up this installation',
    html`<p>You opened the one-time link that was printed when Aloft first started. Enter your email to create the operator account.</p>
<form method="post" action="/setup"><input type="hidden" name="token" value="${token}">
<label for="email">Your email</label><input id="email" name="email" type="email" required autofocus autocomplete="email">
<button>Create operator account</button></form>`,
  )

/** The only script of such a page: what a button names is put on the clipboard. */
const COPY = `for(const button of document.querySelectorAll('[data-copy]'))button.onclick=async()=>{const text=document.getElementById(button.dataset.copy).textContent;try{await navigator.clipboard.writeText(text);button.textContent='Copied'}catch{getSelection().selectAllChildren(document.getElementById(button.dataset.copy))}}`
const COPY_DIGEST = createHash('sha256').update(COPY).digest('base64')

const copied = (id: string, text: string, label: string): Raw =>
  html`<pre id="${id}" tabindex="0">${text}</pre>
<p><button type="button" data-copy="${id}" aria-label="${label}">Copy</button></p>`

export function setUpDone(done: {
  readonly email: string
  readonly bearer: string
  readonly site: string
  readonly command: string
  readonly cookie: string
}): RawReply {
  const { email, bearer, site, command, cookie } = done
  const body = html`<p><b>${email}</b> is the operator of this installation, and this browser is signed in. Next, deploy your first site:</p>
<p><a class="button" href="/">Open the dashboard</a></p>
<h2>Command line</h2>
<p>Run this in a terminal on the server, then approve the login in this browser:</p>
${copied('login', `${command} login ${email} --base-url ${site}`, 'Copy the login command')}
${command === 'aloft' ? '' : html`<p class="soft">To call it <code>aloft</code>, run <code>npm link</code> in the clone, or without administrator rights: <code>mkdir -p ~/.local/bin &amp;&amp; ln -s ${command} ~/.local/bin/aloft</code>.</p>`}
<h2>API token</h2>
<p>For scripts. You won't be able to see it again:</p>
<p class="code mono" id="token">${bearer}</p>
<p><button type="button" data-copy="token" aria-label="Copy the API token">Copy</button></p>
<pre tabindex="0">curl -H "Authorization: Bearer ${bearer}" ${site}/v2/user</pre>
<p class="soft">Create more tokens in the dashboard, or with <code>aloft tokens create</code>. See the <a href="/docs">API reference</a> for what you can do with them.</p>
${raw(`<script>${COPY}</script>`)}`
  const reply = pageReply(page('Aloft is yours', body), { cookies: [cookie] })
  const policy = String(reply.headers?.['content-security-policy'])
  return {
    ...reply,
    headers: { ...reply.headers, 'content-security-policy': `${policy}; script-src 'sha256-${COPY_DIGEST}'` },
  }
}
