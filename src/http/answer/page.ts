import type { RawReply } from '#contract/endpoint.ts'
import { html, type Raw, raw } from '#contract/html.ts'

/** Pages need no script and no outside resource, so they are allowed none. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // Without any referrer, browsers would not say that our own forms come from here.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const

const STYLE = `
:root{color-scheme:light dark;--fg:light-dark(#16181d,#e8eaf0);--bg:light-dark(#f4f5f8,#0b0d11);--page:light-dark(#fff,#14171e);
--soft:light-dark(#5b6270,#9aa3b2);--line:light-dark(#dfe3ea,#2a2f3a);--card:light-dark(#f7f8fa,#1a1e27);
--accent:light-dark(#2457e6,#7aa2ff);--on-accent:light-dark(#fff,#0b0d11);--bad:light-dark(#b3261e,#ff9d94)}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:28rem;margin:12vh auto 4rem;padding:2rem;background:var(--page);border:1px solid var(--line);border-radius:16px;box-shadow:0 1px 2px #0001,0 8px 30px #00000010}
main.wide{max-width:62rem;margin-top:3rem}
h1{font-size:1.5rem;line-height:1.2;margin:0 0 .75rem;letter-spacing:-.015em;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2.5rem 0 .75rem}
p{margin:.75rem 0;overflow-wrap:anywhere}a{color:var(--accent)}
main>:last-child{margin-bottom:0}
.soft{color:var(--soft)}.small{font-size:.9rem}
.brand{font-weight:650;letter-spacing:-.01em;color:var(--fg);text-decoration:none;display:inline-block;margin-bottom:1.5rem}
.brand span{color:var(--accent)}
.code{font-size:1.5rem;font-weight:650;text-align:center;padding:1rem;margin:1.25rem 0;border:1px solid var(--line);border-radius:12px;background:var(--card)}
.who{padding:.8rem 1rem;border:1px solid var(--line);border-radius:12px;background:var(--card)}
.who span{display:block;color:var(--soft);font-size:.9rem}
.problem{color:var(--bad);border-left:3px solid var(--bad);padding-left:.75rem}
.pulse{display:inline-block;width:.6rem;height:.6rem;border-radius:50%;background:var(--accent);margin-right:.6rem;animation:pulse 1.5s ease-in-out infinite}
@keyframes pulse{50%{opacity:.25}}
code,pre,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,monospace;font-size:.9em}
.code.mono{font-size:1.05rem}
pre{padding:1rem;border:1px solid var(--line);border-radius:10px;background:var(--card);white-space:pre-wrap;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.35rem 1.25rem;margin:1.25rem 0}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
form{margin:1.25rem 0}
button,.button{display:block;width:100%;font:inherit;font-weight:600;text-align:center;text-decoration:none;color:var(--on-accent);background:var(--accent);border:0;border-radius:10px;padding:.7rem 1.3rem;cursor:pointer}
button:hover,.button:hover{filter:brightness(1.08)}
button.plain{display:inline;width:auto;padding:0;font-weight:400;color:var(--accent);background:none;text-decoration:underline}
label{display:block;margin:1rem 0 .35rem;font-weight:600}
input{font:inherit;width:100%;padding:.65rem .8rem;border:1px solid var(--line);border-radius:10px;background:var(--card);color:inherit;margin-bottom:1rem}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media(max-width:32rem){body{background:var(--page)}main,main.wide{margin:0;padding:1.5rem 1.25rem 3rem;border:0;border-radius:0;box-shadow:none}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}}
@media(prefers-reduced-motion:reduce){.pulse{animation:none}}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th{text-align:left;font-weight:600;color:var(--soft)}
th,td{padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line);vertical-align:top}
details{border:1px solid var(--line);border-radius:10px;background:var(--card);margin:.5rem 0;padding:0 1rem}
summary{cursor:pointer;padding:.65rem 0;display:flex;gap:.9rem;align-items:baseline;flex-wrap:wrap;list-style:none}
summary::-webkit-details-marker{display:none}
summary .soft{margin-left:auto;font-size:.9rem}
.verb{font-weight:700;font-size:.78rem;min-width:3.6rem;color:var(--accent)}
.tag{font-size:.75rem;border:1px solid var(--line);border-radius:99px;padding:.05rem .55rem;color:var(--soft)}
`

const styleSheet = raw(STYLE)
/** The mark in front of the name, so that browsers need not ask for one. */
const icon = raw(
  `<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M15 1v14H1z' fill='%234a7bf7'/%3E%3C/svg%3E">`,
)
const wideClass = raw(' class="wide"')
const none = raw('')

interface PageOptions {
  readonly wide?: boolean
  /** Loads itself again after so many seconds. */
  readonly refresh?: number
}

export const page = (title: string, body: Raw, { wide, refresh }: PageOptions = {}): string =>
  html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
${refresh === undefined ? none : html`<meta http-equiv="refresh" content="${refresh}">`}<title>${title} · Aloft</title>${icon}<style>${styleSheet}</style></head>
<body><main${wide ? wideClass : none}><a class="brand" href="/"><span aria-hidden="true">◢</span> Aloft</a>
<h1>${title}</h1>
${body}
</main></body></html>
`.text

export const errorPage = (status: number, message: string): string =>
  page(
    status === 404 ? 'Not found' : status === 429 ? 'Too many requests' : 'Something went wrong',
    html`<p>${message}</p>`,
  )

/** A page with a status or cookies of its own. */
export const pageReply = (
  body: string,
  { status = 200, cookies = [] }: { readonly status?: number; readonly cookies?: readonly string[] } = {},
): RawReply => {
  const { 'content-type': type, ...headers } = PAGE_HEADERS
  return { type, body, status, headers: { ...headers, ...(cookies.length > 0 && { 'set-cookie': cookies }) } }
}

/** Sends a browser on: with 303 after a form, else with 302. */
export const redirect = (
  location: string,
  { status = 302, cookies = [] }: { readonly status?: 302 | 303; readonly cookies?: readonly string[] } = {},
): RawReply => ({
  type: 'text/plain; charset=utf-8',
  body: '',
  status,
  headers: {
    location,
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    ...(cookies.length > 0 && { 'set-cookie': cookies }),
  },
})
