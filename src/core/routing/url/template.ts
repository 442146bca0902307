/** Text, and between it, as numbers from 1, the groups of a match. */
export type Template = readonly (string | number)[]

/** What each group of a match captured, the first group at 0. */
export type Groups = readonly (string | undefined)[]

export type GroupNames = ReadonlyMap<string, number>

const REFERENCE = /\$(?:([0-9])|([A-Za-z_]\w*))/g

/** The name of the whole match, where it can be referred to as `$0`. */
export const WHOLE = '0'

/**
 * Reads `$1` to `$9` and `$name`. Of `$name`, the longest beginning that names a group counts and the rest is
 * text, so `$user_id` works with a group `user_id` as well as with a group `user`. A name that no group has is
 * dropped: a missing group is empty. `$0` counts if there is a group of that name. Any other `$` is text.
 */
export function parseTemplate(text: string, names: GroupNames): Template {
  const parts: (string | number)[] = []
  let textStart = 0
  for (const match of text.matchAll(REFERENCE)) {
    const [reference, digit, name] = match
    if (digit === WHOLE && !names.has(WHOLE)) continue
    parts.push(text.slice(textStart, match.index))
    textStart = match.index + reference.length
    if (digit !== undefined) parts.push(names.get(digit) ?? Number(digit))
    else if (name !== undefined) {
      const known = longestKnownName(name, names)
      if (known === undefined) continue
      parts.push(known.group)
      textStart -= name.length - known.length
    }
  }
  parts.push(text.slice(textStart))
  return tidy(parts)
}

/** The template as text, each group through `encode`; undefined when that is longer than `limit`. */
export function expandTemplate(
  template: Template,
  groups: Groups,
  encode: (group: string) => string,
  limit: number,
): string | undefined {
  let text = ''
  for (const part of template) {
    if (typeof part === 'string') text += part
    else text += encode(groups[part - 1] ?? '')
    if (text.length > limit) return undefined
  }
  return text
}

/** Splits at the first place where the template's own text, not a group, has `delimiter`. */
export function splitTemplate(
  template: Template,
  delimiter: RegExp,
): readonly [Template, Template | undefined] {
  for (const [index, part] of template.entries()) {
    if (typeof part === 'number') continue
    const at = part.search(delimiter)
    if (at < 0) continue
    return [
      tidy([...template.slice(0, index), part.slice(0, at)]),
      tidy([part.slice(at), ...template.slice(index + 1)]),
    ]
  }
  return [tidy(template), undefined]
}

export const mapText = (template: Template, change: (text: string) => string): Template =>
  template.map((part) => (typeof part === 'string' ? change(part) : part))

export const hasGroups = (template: Template): boolean => template.some((part) => typeof part === 'number')

function longestKnownName(name: string, names: GroupNames): { group: number; length: number } | undefined {
  for (let length = name.length; length > 0; length--) {
    const group = names.get(name.slice(0, length))
    if (group !== undefined) return { group, length }
  }
  return undefined
}

/** Without empty text, and with neighbouring texts joined. */
function tidy(parts: readonly (string | number)[]): Template {
  const tidied: (string | number)[] = []
  for (const part of parts) {
    const last = tidied.at(-1)
    if (part === '') continue
    if (typeof part === 'string' && typeof last === 'string') tidied[tidied.length - 1] = last + part
    else tidied.push(part)
  }
  return tidied
}
