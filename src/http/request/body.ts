import type { IncomingMessage } from 'node:http'
import { showLimit } from '#contract/amounts.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { AloftError, invalidRequest } from '#contract/errors.ts'
import { takeAll } from '#core/chunks.ts'
import { excessOf, MOST_AT_ONCE } from '#core/json-shape.ts'
import { parseJsonInSlices } from '#core/json-slices.ts'
import { leavesMuchUnread } from '#core/unread-body.ts'
import type { HeldBody } from './body-memory.ts'

export const DEFAULT_BODY_LIMIT = 10 * 1000 * 1000
/** Of those who have not shown who they are. */
export const PUBLIC_BODY_LIMIT = 64 * 1024

export const tooLarge = (limit: number) =>
  new AloftError(
    'payload_too_large',
    `The body is larger than the ${showLimit(limit)} that this endpoint accepts.`,
    { limit },
  )

/** Reads a whole body, refusing it as soon as it is known to be too large, or to be more than there is room for. */
export async function collect(stream: IncomingMessage, limit: number, held: HeldBody): Promise<Buffer> {
  if (Number(stream.headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
  let size = 0
  try {
    const chunks = await takeAll(stream, (bytes) => {
      size += bytes
      if (size > limit) throw tooLarge(limit)
      held.grow(bytes)
    })
    return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size)
  } catch (error) {
    if (!(error instanceof AloftError)) throw invalidRequest('the body was cut off')
    // A little is read to its end, for the next request comes behind it. With more than that, the connection ends.
    if (!leavesMuchUnread(stream)) stream.resume()
    throw error
  }
}

/**
 * The body by its content: some clients send JSON without saying so. Only endpoints that expect a form
 * read one. An empty body is an empty object, so that what is missing can be named.
 */
export async function parseBody(
  bytes: Buffer,
  contentType: string | undefined,
  row: Endpoint,
): Promise<unknown> {
  if (bytes.length === 0) return row.body === undefined ? undefined : {}
  try {
    if (
      row.form &&
      !looksLikeJson(bytes) &&
      (contentType ?? '').includes('application/x-www-form-urlencoded')
    )
      return readForm(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return await parseJsonInSlices(bytes, (text) => readJson(text, row))
  } catch (error) {
    if (error instanceof TypeError) throw invalidRequest('the body is not valid UTF-8')
    throw error
  }
}

const looksLikeJson = (bytes: Buffer): boolean => /^\s*[{[]/.test(bytes.toString('utf8', 0, 64))

function readForm(text: string): Record<string, string> {
  const form: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    if (name in form) throw invalidRequest(`\`${name}\` is given twice`)
    if (value.includes('\0')) throw invalidRequest(`\`${name}\` contains a NUL character`)
    form[name] = value
  }
  return form
}

function readJson(text: string, row: Endpoint): unknown {
  if (text.length > LARGE_PIECE) refuseExcess(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalidRequest('the body is not valid JSON')
  }
  if (isDeeper(value, MAX_DEPTH)) throw tooDeep()
  // Cheap tests on the text decide whether the value has to be walked at all. Any letter of a key may be escaped.
  if (POLLUTING.some((word) => text.includes(word))) refusePrototypes(value)
  if (!row.binaryText && text.includes('\\u0000')) refuseNul(value)
  return value
}

/** The end of `constructor` is looked for much faster, because it begins with a letter that no hash has. */
const POLLUTING = ['__proto__', 'uctor', '\\u00']

/** What looks at it later calls itself for each level. */
const MAX_DEPTH = MOST_AT_ONCE.levels
/** What is smaller takes little to parse, whatever it is; lists are parsed in smaller ones. */
const LARGE_PIECE = 256 * 1024

const tooDeep = () => invalidRequest(`the body is nested more than ${MAX_DEPTH} levels deep`)

function refuseExcess(text: string): void {
  const excess = excessOf(text)
  if (excess === 'levels') throw tooDeep()
  if (excess === 'parts')
    throw invalidRequest(
      `the body has more than ${MOST_AT_ONCE.parts.toLocaleString('en')} items and keys outside of its long lists`,
    )
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (const inner of value) if (typeof inner === 'object' && isDeeper(inner, levels - 1)) return true
    return false
  }
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key]
    // Most are none, and would each be a call.
    if (typeof inner === 'object' && isDeeper(inner, levels - 1)) return true
  }
  return false
}

const walk = (value: unknown, visit: (key: string, value: unknown, holder: object) => void): void => {
  const todo: unknown[] = [value]
  while (todo.length > 0) {
    const next = todo.pop()
    if (typeof next !== 'object' || next === null) continue
    for (const key of Object.keys(next)) {
      const inner = (next as Record<string, unknown>)[key]
      visit(key, inner, next)
      todo.push(inner)
    }
  }
}

/** `__proto__` as a key would reach into objects that code merges later. */
const refusePrototypes = (value: unknown): void =>
  walk(value, (key, inner) => {
    const polluting =
      key === '__proto__' ||
      (key === 'constructor' && typeof inner === 'object' && inner !== null && 'prototype' in inner)
    if (polluting) throw invalidRequest(`the key \`${key}\` is not accepted`)
  })

/** Names with NUL cannot be stored by every database, and nobody means them. */
const refuseNul = (value: unknown): void => {
  if (typeof value === 'string' && value.includes('\0')) throw invalidRequest('text contains a NUL character')
  walk(value, (key, inner) => {
    if (key.includes('\0') || (typeof inner === 'string' && inner.includes('\0')))
      throw invalidRequest(`\`${key.replaceAll('\0', '')}\` contains a NUL character`)
  })
}
