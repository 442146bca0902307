import { AloftError } from '#contract/errors.ts'
import { isRecord } from '../../is-record.ts'

/** A variable's value: given as it is, or taken from a secret when the deployment is made. */
type EnvValue = { readonly value: string } | { readonly secret: string }
export type RequestedEnv = ReadonlyMap<string, EnvValue>

const MAX_KEYS = 100
const MAX_KEY = 256
const MAX_VALUE = 65536

/** Every rule over all variables before the next rule, so that which error is told does not depend on order. */
export function readEnv(given: Readonly<Record<string, unknown>> = {}): RequestedEnv {
  const entries = Object.entries(given)
  if (entries.length > MAX_KEYS)
    throw new AloftError(
      'env_too_many_keys',
      `A deployment can have at most ${MAX_KEYS} environment variables; this one has ${entries.length}.`,
    )
  for (const [key] of entries)
    if (!/^\w+$/.test(key))
      throw new AloftError(
        'env_key_invalid_characters',
        `The variable name ${JSON.stringify(key.slice(0, 80))} contains characters other than letters, digits and \`_\`.`,
        { key },
      )
  for (const [key] of entries)
    if (key.length > MAX_KEY)
      throw new AloftError(
        'env_key_invalid_length',
        `A variable name is longer than ${MAX_KEY} characters.`,
        { key },
      )
  for (const [key, value] of entries)
    if (typeof value === 'string' && value.length > MAX_VALUE)
      throw new AloftError(
        'env_value_invalid_length',
        `The value of ${key} is longer than ${MAX_VALUE} characters.`,
        { key, value },
      )
  for (const [key, value] of entries)
    if (isRecord(value) && !('uid' in value))
      throw new AloftError(
        'env_value_invalid_type_missing_uid',
        `The value of ${key} is an object without \`uid\`.`,
        { key },
      )
  for (const [key, value] of entries)
    if (isRecord(value) && Object.keys(value).length > 1)
      throw new AloftError(
        'env_value_invalid_type_unknown_props',
        `The value of ${key} is an object with properties other than \`uid\`.`,
        { key },
      )
  for (const [key, value] of entries)
    if (!isAccepted(value))
      throw new AloftError(
        'env_value_invalid_type',
        `The value of ${key} should be text, a number or a reference to a secret.`,
        { key },
      )
  return new Map(entries.map(([key, value]) => [key, readValue(value as string | number | { uid: string })]))
}

const isAccepted = (value: unknown): boolean =>
  typeof value === 'string' ||
  (typeof value === 'number' && Number.isFinite(value)) ||
  (isRecord(value) && typeof value.uid === 'string')

function readValue(value: string | number | { uid: string }): EnvValue {
  if (typeof value === 'object') return { secret: value.uid }
  const text = String(value)
  return text.startsWith('@') ? { secret: text } : { value: text }
}

/** The references that have to be resolved, each once, as they were given. */
export const secretsIn = (...environments: readonly RequestedEnv[]): string[] => [
  ...new Set(
    environments.flatMap((request) =>
      [...request.values()].flatMap((v) => ('secret' in v ? [v.secret] : [])),
    ),
  ),
]

export function fillEnv(request: RequestedEnv, secrets: ReadonlyMap<string, string>): Record<string, string> {
  const filled: Record<string, string> = {}
  for (const [key, value] of request)
    filled[key] = 'value' in value ? value.value : (secrets.get(value.secret) as string)
  return filled
}
