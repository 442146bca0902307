import { showBytes } from '#contract/amounts.ts'
import { html, raw } from '#contract/html.ts'
import { linkTo } from '../request/request-path.ts'
import type { Folder, FolderEntry } from './folders.ts'

const STYLE = raw(
  ':root{color-scheme:light dark}body{max-width:48rem;margin:3rem auto;padding:0 1.5rem;font:16px/1.5 system-ui,sans-serif}' +
    'h1{font-size:1.25rem;overflow-wrap:anywhere}ul{list-style:none;padding:0}' +
    'li{display:flex;justify-content:space-between;gap:1rem;padding:.3rem 0;border-bottom:1px solid color-mix(in srgb,currentColor 12%,transparent)}' +
    'a{overflow-wrap:anywhere}span{opacity:.6;white-space:nowrap}',
)

/** A page with links to what is in a folder. */
export function directoryPage({ segments, entries }: Folder): string {
  const title = `Index of /${segments.map((segment) => `${segment}/`).join('')}`
  const parent = segments.length === 0 ? [] : [item(segments.slice(0, -1), '../', undefined)]
  const items = [...parent, ...entries.map(({ name, size }) => item([...segments, name], name, size))]
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title><style>${STYLE}</style></head>
<body><h1>${title}</h1>
<ul>
${raw(items.join(''))}</ul></body>
</html>
`.text
}

function item(path: readonly string[], name: string, size: FolderEntry['size']): string {
  const shownSize = size === undefined ? raw('') : html`<span>${showBytes(size)}</span>`
  return html`<li><a href="${linkTo(path.join('/'))}">${name}</a>${shownSize}</li>\n`.text
}
