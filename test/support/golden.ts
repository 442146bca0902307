import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const folder = resolve(import.meta.dirname, '../golden')
const updating = process.env.UPDATE_GOLDEN === '1'

/** What differs from run to run, by its form. A prefix tells an id also inside a text. */
const VOLATILE: readonly { readonly form: RegExp; readonly kind: (found: string) => string }[] = [
  {
    form: /\b(?:account_hook|bld|cert|dpl|evt|icfg|job|ld|log|oac|prj|rec|req|sec|team)_[0-9A-Za-z]{7,}\b/g,
    kind: (id) => id.slice(0, id.lastIndexOf('_')),
  },
  { form: /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\b/g, kind: () => 'date' },
  // The nine characters that make a deployment's own host, and times told as text.
  { form: /(?<=-)[a-z0-9]{9}(?=\.localhost$)/, kind: () => 'host' },
  { form: /^1[5-9]\d{11}$/, kind: () => 'date' },
  { form: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, kind: () => 'uuid' },
  { form: /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, kind: () => 'hash' },
  { form: /^[0-9A-Za-z]{24}$/, kind: () => 'id' },
]

/** Milliseconds since the epoch, from 2020 on. */
const isTime = (value: number): boolean => Number.isInteger(value) && value > 1.577e12 && value < 1e13

/** Placeholders instead of volatile parts. The same id is given the same placeholder, another one another. */
function createSettle(): (value: unknown) => unknown {
  const names = new Map<string, string>()
  const counts = new Map<string, number>()

  const nameOf = (kind: string, found: string): string => {
    // Whether two things were made in the same millisecond differs from run to run.
    if (kind === 'date') return '<date>'
    const known = names.get(found)
    if (known !== undefined) return known
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    const name = count === 1 ? `<${kind}>` : `<${kind} ${count}>`
    names.set(found, name)
    return name
  }

  const settleText = (text: string): string =>
    VOLATILE.reduce(
      (settled, { form, kind }) => settled.replace(form, (found) => nameOf(kind(found), found)),
      text,
    )

  return function settle(value: unknown): unknown {
    if (typeof value === 'string') return settleText(value)
    if (typeof value === 'number') return isTime(value) ? '<time>' : value
    if (Array.isArray(value)) return value.map(settle)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, settle(inner)]))
  }
}

/**
 * Compares a shape with `test/golden/<name>.json`, whatever its ids, dates and times are.
 * `UPDATE_GOLDEN=1` writes the file instead: format it, and look at the difference before it is committed.
 */
export function assertGolden(name: string, value: unknown): void {
  const file = resolve(folder, `${name}.json`)
  const settled = createSettle()(value)
  if (updating) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${JSON.stringify(settled, null, 2)}\n`)
    return
  }
  assert.ok(existsSync(file), `test/golden/${name}.json is missing: run with UPDATE_GOLDEN=1 to write it`)
  assert.deepEqual(settled, JSON.parse(readFileSync(file, 'utf8')), `this is not test/golden/${name}.json`)
}
