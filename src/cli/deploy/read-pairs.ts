import { usageError } from '../exit.ts'
import type { Env } from '../output/output.ts'

const pattern = /^([^=\s]+)=([\s\S]*)$/

/** `KEY=value` → an object; undefined where nothing was given. */
export function readPairs(
  option: string,
  given: readonly string[],
  /** Where a name without a value takes it from. */
  env?: Env,
): Record<string, string> | undefined {
  if (given.length === 0) return undefined
  return Object.fromEntries(given.map((text) => readPair(option, text, env)))
}

function readPair(option: string, text: string, env: Env | undefined): [string, string] {
  const [, key, value] = pattern.exec(text) ?? []
  if (key !== undefined && value !== undefined) return [key, value]
  const own = env !== undefined && /^\w+$/.test(text) ? env[text] : undefined
  if (own !== undefined) return [text, own]
  // What stands there may be a secret, so it is not repeated.
  throw usageError(
    env !== undefined && /^\w+$/.test(text)
      ? `${option}: ${text} is not set in your environment.`
      : `${option} should be KEY=value.`,
    env === undefined
      ? `Example: ${option} KEY=value.`
      : `Example: ${option} KEY=value; ${option} KEY takes the value from your environment.`,
  )
}
