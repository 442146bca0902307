import { readFileSync } from 'node:fs'
import { PackFault } from './fault.ts'
import { show, statOf } from './place.ts'

export type Json = Readonly<Record<string, unknown>>

const MAX_BYTES = 32 * 2 ** 20

/** An object from a file that is called `name` where it is not one. The path must be real. */
export function readJson(path: string, name: string): Json {
  const stats = statOf(path)
  if (!stats?.isFile()) throw new PackFault('missing_output', `There is no file ${show(name)}`)
  if (stats.size > MAX_BYTES)
    throw new PackFault('too_large', `${show(name)} is larger than ${MAX_BYTES} bytes`)
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new PackFault('invalid_output', `${show(name)} is not JSON`)
  }
  if (!isJson(value)) throw new PackFault('invalid_output', `${show(name)} does not contain an object`)
  return value
}

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const jsonOf = (value: unknown): Json => (isJson(value) ? value : {})

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** A whole number within bounds. */
export const countOf = (value: unknown, least: number, most: number): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) ? Math.min(most, Math.max(least, value)) : undefined

/** The values that are strings; numbers and booleans become some. */
export const textsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(jsonOf(value)).flatMap(([name, text]) =>
      ['string', 'number', 'boolean'].includes(typeof text) ? [[name, String(text)]] : [],
    ),
  )
