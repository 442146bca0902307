import type { TSchema } from 'typebox'
import { type Endpoint, methodOf, pathOf } from '#contract/endpoint.ts'
import type { Generation } from '#contract/generation.ts'
import { html, type Raw, raw } from '#contract/html.ts'
import { groupOf } from '../openapi.ts'
import { page } from '../page.ts'

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
      return 'No token needed.'
    case 'personal':
      return 'Needs a personal token.'
    case 'operator':
      return 'Needs the token of an operator.'
    case 'scope':
      return `Needs a token; an integration needs the scope ${row.access.scopes.join(' and ')}.`
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
  if (row.reply === 'empty') return `${status}, without a body`
  return typeof row.reply === 'object' ? `${status}` : `${status}, with content that is not JSON`
}

const entry = (
  row: Endpoint,
): Raw => html`<details data-gen="${row.gen}"><summary><span class="verb">${methodOf(row)}</span>
<code>${pathOf(row)}</code><span class="tag">${row.gen}</span>${row.experimental ? html`<span class="tag">experimental</span>` : raw('')}
<span class="soft">${row.summary}</span></summary>
${row.description === undefined ? raw('') : html`<p>${row.description}</p>`}
<p id="${anchorOf(row)}">${accessText(row)} Rate-limit group: <code>${row.limit}</code>. Success is ${answerText(row)}.
<a href="#${anchorOf(row)}">Link to this</a></p>
${pathParameters(row)}
${fields('Query', row.query)}
${fields('Body', typeof row.body === 'object' ? row.body : undefined)}
${row.body === 'raw' ? html`<p>The body is content as it is.</p>` : raw('')}
${fields('Answer', typeof row.reply === 'object' ? row.reply : undefined, 'always')}
</details>`

/** Which generations are shown is chosen by these alone: the style sheet hides the others. */
const CHOICES: readonly (readonly [Generation | 'all', string])[] = [
  ['all', 'every version'],
  ['current', 'current'],
  ['legacy', 'legacy'],
  ['earliest', 'earliest'],
]

const STYLE = raw(`<style>
.choice{border:0;padding:0;margin:1rem 0;display:flex;gap:.4rem 1.25rem;flex-wrap:wrap}
.choice legend{font-weight:600;padding:0 0 .35rem}
.choice label{margin:0;font-weight:400;display:flex;gap:.4rem;align-items:center;cursor:pointer}
.choice input{width:auto;margin:0;accent-color:var(--accent)}
.toc{display:flex;flex-wrap:wrap;gap:.4rem .9rem;padding:0;margin:1rem 0;list-style:none}
details:has(:target){border-color:var(--accent)}
h2{scroll-margin-top:1rem}details p{scroll-margin-top:5rem}
h3{font-size:.95rem;margin:1rem 0 .25rem}
summary code{overflow-wrap:anywhere}
details[open]{padding-bottom:1rem}
summary:before{content:'▸';color:var(--soft);font-size:.75rem}
details[open]>summary:before{content:'▾'}
@media(max-width:40rem){summary .soft{margin-left:0;width:100%}details table{display:block;overflow-x:auto}}
${['current', 'legacy', 'earliest']
  .map((gen) => `main:has(#show-${gen}:checked) details:not([data-gen=${gen}])`)
  .join(',')}{display:none}
${['current', 'legacy', 'earliest']
  .map((gen) => `main:has(#show-${gen}:checked) section:not(:has([data-gen=${gen}]))`)
  .join(',')}{display:none}
</style>`)

/** Every endpoint, for people. Needs no script. */
export function docsPage(rows: readonly Endpoint[], site: string): string {
  const groups = new Map<string, Endpoint[]>()
  for (const row of rows.filter((row) => !row.page)) {
    const tag = groupOf(row)
    groups.set(tag, [...(groups.get(tag) ?? []), row])
  }
  const named = [...groups].sort(([a], [b]) => a.localeCompare(b))
  const contents = named.map(
    ([tag, group]) =>
      html`<li><a href="#${tag}">${tag}</a> <span class="soft small">${group.length}</span></li>`,
  )
  const choices = CHOICES.map(
    ([gen, label], index) =>
      html`<label><input type="radio" name="show" id="show-${gen}"${raw(index === 0 ? ' checked' : '')}> ${label}</label>`,
  )
  const sections = named.map(
    ([tag, group]) => html`<section><h2 id="${tag}">${tag}</h2>${join(group.map(entry))}</section>`,
  )
  return page(
    'API reference',
    html`${STYLE}<p>The base address is <code>${site}</code>. Send <code>Authorization: Bearer &lt;token&gt;</code>; add
<code>?teamId=</code> to act for a team. The same description for programs: <a href="/openapi.json">openapi.json</a>.</p>
<p>Every version is kept, so a path has several: <b>current</b> is the one for new programs, <b>legacy</b> and
<b>earliest</b> answer in the shapes of their time. Errors are <code>{"error": {"code", "message"}}</code> with the status that
fits; <code>/errors/&lt;code&gt;</code> explains a code. How much is left of an allowance is in the headers
<code>x-ratelimit-limit</code>, <code>-remaining</code> and <code>-reset</code>.</p>
<fieldset class="choice"><legend>Show</legend>${join(choices)}</fieldset>
<nav aria-label="Resources"><ul class="toc">${join(contents)}</ul></nav>
${join(sections)}`,
    { wide: true },
  )
}
