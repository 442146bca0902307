import type { TSchema } from 'typebox'
import { type Endpoint, methodOf, pathOf } from '#contract/endpoint.ts'
import type { Generation } from '#contract/generation.ts'
import { html, type Raw, raw } from '#contract/html.ts'
import { count } from '#contract/words/wording.ts'
import { page } from '../answer/page.ts'
import { groupOf } from '../openapi.ts'

interface Shape {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Shape[]
  readonly items?: Shape
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly description?: string
}

const join = (parts: readonly Raw[]): Raw => raw(parts.map((part) => part.text).join('\n'))

function typeName(shape: Shape): string {
  if (shape.enum) return shape.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (shape.anyOf) return shape.anyOf.map(typeName).join(' | ')
  if (shape.type === 'array') return `list of ${typeName(shape.items ?? {})}`
  return [shape.type ?? 'any'].flat().join(' or ')
}

function fields(title: string, schema: TSchema | undefined, always = 'required'): Raw {
  const { properties, required = [] } = (schema ?? {}) as Shape
  if (!properties || Object.keys(properties).length === 0) return raw('')
  const rows = Object.entries(properties).map(
    ([name, shape]) => html`<tr><td><code>${name}</code></td><td>${typeName(shape)}</td>
<td>${required.includes(name) ? always : ''}</td><td>${shape.description ?? ''}</td></tr>`,
  )
  return html`<h3>${title}</h3><table><tbody>${join(rows)}</tbody></table>`
}

const accessText = (row: Endpoint): string => {
  switch (row.access.kind) {
    case 'public':
      return 'No token required.'
    case 'personal':
      return 'Requires a personal token.'
    case 'operator':
      return 'Requires an operator’s token.'
    case 'scope':
      return `Requires a token. Integrations need the scope ${row.access.scopes.join(' and ')}.`
  }
}

/** What the placeholders of a path stand for is told by their names alone. */
const pathParameters = (row: Endpoint): Raw => {
  const names = pathOf(row).match(/(?<=:)\w+/g) ?? []
  if (names.length === 0) return raw('')
  const cells = names.map(
    (name) => html`<tr><td><code>${name}</code></td><td>string</td><td>required</td><td></td></tr>`,
  )
  return html`<h3>Path</h3><table><tbody>${join(cells)}</tbody></table>`
}

/** Fit for the address of an entry: `get-v9-projects-idOrName`. It stands inside, since browsers open what it is in. */
const anchorOf = (row: Endpoint): string =>
  `${methodOf(row).toLowerCase()}${pathOf(row).replaceAll(/[^\w.]+/g, '-')}`

const answerText = (row: Endpoint): string => {
  const status = row.status ?? 200
  if (row.reply === 'empty') return `${status} without a body`
  return typeof row.reply === 'object' ? `${status}` : `${status} with a non-JSON body`
}

const entry = (
  row: Endpoint,
): Raw => html`<details data-gen="${row.gen}"><summary><span class="verb">${methodOf(row)}</span>
<code>${pathOf(row)}</code><span class="tag">${row.gen}</span>
<span class="soft">${row.summary}</span></summary>
${row.description === undefined ? raw('') : html`<p>${row.description}</p>`}
<p id="${anchorOf(row)}">${accessText(row)} Rate-limit group: <code>${row.limit}</code>. Responds with ${answerText(row)}.
<a href="#${anchorOf(row)}">Permalink</a></p>
${pathParameters(row)}
${fields('Query', row.query)}
${fields('Body', typeof row.body === 'object' ? row.body : undefined)}
${row.body === 'raw' ? html`<p>The body is sent as is.</p>` : raw('')}
${fields('Response', typeof row.reply === 'object' ? row.reply : undefined, 'always')}
</details>`

/** Which generations are shown is chosen by these alone: the style sheet hides the others. */
const CHOICES: readonly (readonly [Generation | 'all', string])[] = [
  ['current', 'Current'],
  ['legacy', 'Legacy'],
  ['earliest', 'Earliest'],
  ['all', 'All versions'],
]

const STYLE = raw(`<style>
.choice{border:0;padding:0;margin:1rem 0;display:flex;gap:.4rem 1.25rem;flex-wrap:wrap}
.choice legend{font-weight:600;padding:0 0 .35rem}
.choice label{margin:0;font-weight:400;display:flex;gap:.4rem;align-items:center;cursor:pointer}
.choice input{width:auto;margin:0;accent-color:var(--accent)}
.toc{display:flex;flex-wrap:wrap;gap:.4rem .9rem;padding:0;margin:1rem 0;list-style:none}
.search{display:flex;gap:.6rem;margin:1rem 0}.search input{margin:0}.search button{width:auto}
main.wide{max-width:78rem}
@media(min-width:62rem){.sides{display:grid;grid-template-columns:12rem minmax(0,1fr);gap:2.5rem}
.sides nav{position:sticky;top:1rem;align-self:start;max-height:calc(100vh - 2rem);overflow-y:auto}
.toc{flex-direction:column;flex-wrap:nowrap}.sides section:first-of-type h2{margin-top:0}}
details:has(:target){border-color:var(--accent);display:block!important}
section:has(:target){display:block!important}
h2{scroll-margin-top:1rem}details p{scroll-margin-top:5rem}
h3{font-size:.95rem;margin:1rem 0 .25rem}
summary code{overflow-wrap:anywhere}
details[open]{padding-bottom:1rem}
summary:before{content:'▸';color:var(--soft);font-size:.75rem}
details[open]>summary:before{content:'▾'}
@media(max-width:40rem){summary .soft{margin-left:0;width:100%}details table{display:block;overflow-x:auto}}
${['current', 'legacy', 'earliest']
  .map((gen) => `main:has(#show-${gen}:checked) details[data-gen]:not([data-gen=${gen}])`)
  .join(',')}{display:none}
${['current', 'legacy', 'earliest']
  .map((gen) => `main:has(#show-${gen}:checked) section:not(:has([data-gen=${gen}]))`)
  .join(',')}{display:none}
</style>`)

const NEWEST_FIRST: readonly Generation[] = ['current', 'legacy', 'earliest']

/** Whether an endpoint holds every word, in its path or in what is said of it. */
const holds = (row: Endpoint, words: readonly string[]): boolean => {
  const text = `${row.on} ${groupOf(row)} ${row.summary} ${row.description ?? ''}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

/** Every endpoint, or those that hold the words of a search, for people. Needs no script. */
export function docsPage(rows: readonly Endpoint[], site: string, search = ''): string {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = rows
    .filter((row) => !row.page && holds(row, words))
    .toSorted((a, b) => NEWEST_FIRST.indexOf(a.gen) - NEWEST_FIRST.indexOf(b.gen))
  const groups = new Map<string, Endpoint[]>()
  for (const row of shown) {
    const tag = groupOf(row)
    groups.set(tag, [...(groups.get(tag) ?? []), row])
  }
  const named = [...groups].sort(([a], [b]) => a.localeCompare(b))
  const contents = named.map(
    ([tag, group]) =>
      html`<li><a href="#${tag}">${tag}</a> <span class="soft small">${group.length}</span></li>`,
  )
  // A search is for whatever there is.
  const chosen = words.length === 0 ? 'current' : 'all'
  const choices = CHOICES.map(
    ([gen, label]) =>
      html`<label><input type="radio" name="show" id="show-${gen}"${raw(gen === chosen ? ' checked' : '')}> ${label}</label>`,
  )
  const sections = named.map(
    ([tag, group]) => html`<section><h2 id="${tag}">${tag}</h2>${join(group.map(entry))}</section>`,
  )
  return page(
    'API reference',
    html`${STYLE}<p>The base URL is <code>${site}</code>. Send <code>Authorization: Bearer &lt;token&gt;</code>, and add
<code>?teamId=</code> to act on behalf of a team. The same reference as OpenAPI: <a href="/openapi.json">openapi.json</a>.</p>
<form class="search" role="search" method="get" action="/docs"><input type="search" name="q" value="${search}" maxlength="100" aria-label="Search endpoints" placeholder="Search endpoints, such as domains or rollback">
<button>Search</button></form>
${words.length === 0 ? raw('') : html`<p role="status">${count(shown.length, 'endpoint')} for “${search}”. <a href="/docs">Show all</a></p>`}
<details><summary>Versions, errors and rate limits</summary>
<p>All versions of an endpoint keep working. Use <b>current</b> for new code; <b>legacy</b> and <b>earliest</b> respond in their
original formats.</p>
<p>Errors are <code>{"error": {"code", "message"}}</code> with a matching status code; <code>/errors/&lt;code&gt;</code> explains
each code. Rate limits are reported in the <code>x-ratelimit-limit</code>, <code>x-ratelimit-remaining</code> and
<code>x-ratelimit-reset</code> headers.</p></details>
<fieldset class="choice"><legend>Version</legend>${join(choices)}</fieldset>
<div class="sides"><nav aria-label="Resources"><ul class="toc">${join(contents)}</ul></nav>
<div>${join(sections)}</div></div>`,
    { wide: true },
  )
}
