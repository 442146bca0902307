import type { TSchema } from 'typebox'
import { type Endpoint, methodOf, pathOf } from '#contract/endpoint.ts'
import { html, type Raw, raw } from '#contract/html.ts'
import { tagOf } from '../openapi.ts'
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

function fields(title: string, schema: TSchema | undefined): Raw {
  const { properties, required = [] } = (schema ?? {}) as Shape
  if (!properties || Object.keys(properties).length === 0) return raw('')
  const rows = Object.entries(properties).map(
    ([name, shape]) => html`<tr><td><code>${name}</code></td><td>${typeName(shape)}</td>
<td>${required.includes(name) ? 'required' : ''}</td><td>${shape.description ?? ''}</td></tr>`,
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

const entry = (row: Endpoint): Raw => html`<details><summary><span class="verb">${methodOf(row)}</span>
<code>${pathOf(row)}</code>${row.gen === 'current' ? raw('') : html`<span class="tag">${row.gen}</span>`}
<span class="soft">${row.summary}</span></summary>
<p>${accessText(row)} Rate-limit group: <code>${row.limit}</code>.</p>
${fields('Query', row.query)}
${fields('Body', typeof row.body === 'object' ? row.body : undefined)}
${fields('Answer', typeof row.reply === 'object' ? row.reply : undefined)}
</details>`

/** Every endpoint, for people. Needs no script. */
export function docsPage(rows: readonly Endpoint[], site: string): string {
  const groups = new Map<string, Endpoint[]>()
  for (const row of rows.filter((row) => !row.page)) {
    const tag = tagOf(row)
    groups.set(tag, [...(groups.get(tag) ?? []), row])
  }
  const sections = [...groups].map(
    ([tag, group]) => html`<h2 id="${tag}">${tag}</h2>${join(group.map(entry))}`,
  )
  return page(
    'API reference',
    html`<p>The base address is <code>${site}</code>. Send <code>Authorization: Bearer &lt;token&gt;</code>; add
<code>?teamId=</code> to act for a team. The same description for programs: <a href="/openapi.json">openapi.json</a>.</p>
${join(sections)}`,
    { wide: true },
  )
}
