import { html, raw } from '#contract/html.ts'

/** What a page says in the place of a site. */
export interface ErrorPage {
  readonly status: number
  readonly title: string
  readonly message: string
  /** What was wrong with what the visitor did last. */
  readonly problem?: string
  /** After so many seconds another try may be worth it. */
  readonly retryAfter?: number
  readonly form?: 'password'
  readonly link?: { readonly href: string; readonly text: string }
  readonly code: string
  readonly id: string
}

/** Pages need nothing from anywhere, no script, and are nobody's to frame. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

/** The look of the platform's own pages. */
const STYLE = raw(
  ':root{color-scheme:light dark;--fg:light-dark(#16181d,#e8eaf0);--bg:light-dark(#f4f5f8,#0b0d11);' +
    '--page:light-dark(#fff,#14171e);--soft:light-dark(#5b6270,#9aa3b2);--line:light-dark(#dfe3ea,#2a2f3a);' +
    '--card:light-dark(#f7f8fa,#1a1e27);--accent:light-dark(#2457e6,#7aa2ff);' +
    '--on-accent:light-dark(#fff,#0b0d11);--bad:light-dark(#b3261e,#ff9d94)}' +
    '*{box-sizing:border-box}' +
    'body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:1.25rem;' +
    'background:var(--bg);color:var(--fg);font:16px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif}' +
    'main{width:100%;max-width:28rem;padding:2rem;background:var(--page);border:1px solid var(--line);' +
    'border-radius:16px;box-shadow:0 1px 2px #0001,0 8px 30px #00000010}' +
    'h1{font-size:1.5rem;line-height:1.2;letter-spacing:-.015em;margin:0}' +
    'p{margin:.75rem 0 0;color:var(--soft)}a{color:var(--accent)}' +
    'label{display:block;font-weight:600;margin:1.5rem 0 .35rem}' +
    'input,button{font:inherit;width:100%;border-radius:10px;padding:.65rem .8rem}' +
    'input{border:1px solid var(--line);background:var(--card);color:inherit}' +
    'input[aria-invalid]{border-color:var(--bad)}' +
    '.bad{color:var(--bad);margin:.4rem 0 0;font-size:.95rem}' +
    'button{margin-top:1rem;border:0;font-weight:600;cursor:pointer;background:var(--accent);color:var(--on-accent)}' +
    'button:hover{filter:brightness(1.08)}' +
    ':focus-visible{outline:2px solid var(--accent);outline-offset:2px}' +
    'footer{margin-top:1.75rem;padding-top:1rem;border-top:1px solid var(--line);color:var(--soft);' +
    'font:.78rem/1.6 ui-monospace,SFMono-Regular,Menlo,monospace;overflow-wrap:anywhere}' +
    '@media(max-width:32rem){body{background:var(--page);padding:0}' +
    'main{border:0;border-radius:0;box-shadow:none;padding:1.5rem 1.25rem}}',
)

const nothing = raw('')

/** A page that works without script, in light and in dark. */
export const errorPage = ({ status, title, message, retryAfter, code, id, ...page }: ErrorPage): string =>
  html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
${retryAfter === undefined ? nothing : html`<meta http-equiv="refresh" content="${retryAfter}">`}
<title>${status}: ${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1><p>${message}</p>
${page.link === undefined ? nothing : html`<p><a href="${page.link.href}">${page.link.text}</a></p>`}
${page.form === undefined ? nothing : passwordForm(page.problem)}
<footer>${code}<br>${id}</footer></main></body>
</html>
`.text

/** Posted to wherever the visitor is, who comes back there with a cookie. */
const passwordForm = (problem: string | undefined) => html`<form method="post">
<label for="password">Password</label>
<input id="password" name="_platform_password" type="password" autocomplete="current-password" maxlength="128" required autofocus${
  problem === undefined ? nothing : raw(' aria-invalid="true" aria-describedby="problem"')
}>
${problem === undefined ? nothing : html`<p class="bad" id="problem" role="alert">${problem}</p>`}
<button>Continue</button>
</form>`
