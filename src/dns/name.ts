/**
 * Names are lower-case strings without a dot at the end; the root is empty. A dot or a backslash inside a
 * label, which no record has but a question may, is written as three digits so that a dot always divides.
 */

const MAX_NAME_BYTES = 255
const MAX_LABEL_BYTES = 63

export const parentOf = (name: string): string => name.slice(name.indexOf('.') + 1 || name.length)

export const isWithin = (name: string, zone: string): boolean =>
  zone === '' || name === zone || name.endsWith(`.${zone}`)

/** The name and all those above it, the longest first, without the root. */
export function* suffixesOf(name: string): Generator<string> {
  for (let rest = name; rest !== ''; rest = parentOf(rest)) yield rest
}

/** Reads the labels from `start` to the zero byte, which the caller has checked to be there. */
export function readName(message: Buffer, start: number): string {
  const labels: string[] = []
  for (let at = start; message[at] !== 0; ) {
    const length = message[at] as number
    labels.push(readLabel(message.toString('latin1', at + 1, at + 1 + length)))
    at += length + 1
  }
  return labels.join('.')
}

const readLabel = (label: string): string =>
  label
    .replace(/[\\.]/g, (char) => (char === '.' ? '\\046' : '\\092'))
    // Only these have a case in DNS, whatever a byte means elsewhere.
    .replace(/[A-Z]+/g, (text) => text.toLowerCase())

/** The name of a record as bytes; undefined when it cannot be one. */
export function encodeName(name: string): Buffer | undefined {
  if (name === '') return Buffer.of(0)
  const labels = name.split('.').map((label) => Buffer.from(label, 'utf8'))
  if (labels.some(({ length }) => length === 0 || length > MAX_LABEL_BYTES)) return undefined
  const bytes = Buffer.concat([...labels.flatMap((label) => [Buffer.of(label.length), label]), Buffer.of(0)])
  return bytes.length > MAX_NAME_BYTES ? undefined : bytes
}

/** As people write it, with or without the dot at the end. */
export const plainName = (text: string): string => text.trim().replace(/\.$/, '').toLowerCase()

const UNUSUAL = /[^a-z0-9_*.-]/g

/** The name without the labels in front that no zone can have, up to the last one of them. */
export function usualPart(name: string): string {
  let last = -1
  for (const { index } of name.matchAll(UNUSUAL)) last = index
  return last === -1 ? name : parentOf(name.slice(last))
}
