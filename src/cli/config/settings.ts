import { readBaseUrl } from '#client/call/base-url.ts'
import { Redacted } from '#contract/redacted.ts'
import { usageError } from '../exit.ts'
import type { GlobalOptions } from '../globals.ts'
import type { Env } from '../output/output.ts'
import type { AuthFile } from './auth-file.ts'

export const DEFAULT_BASE_URL = 'http://localhost:3000'

export interface TokenInUse {
  readonly value: Redacted
  readonly from: '--token' | 'ALOFT_TOKEN' | 'aloft login'
}

/** Which installation a command talks to. What is named for this one call wins over what was stored. */
export function chooseBaseUrl(options: GlobalOptions, env: Env, auth: AuthFile): string {
  if (options.baseUrl !== undefined) return readNamed('--base-url', options.baseUrl)
  if (env.ALOFT_BASE_URL) return readNamed('ALOFT_BASE_URL', env.ALOFT_BASE_URL)
  return auth.current() ?? DEFAULT_BASE_URL
}

function readNamed(name: string, text: string): string {
  try {
    return readBaseUrl(text)
  } catch (error) {
    throw usageError(`${name} is "${text}": ${(error as Error).message}.`)
  }
}

/** A stored token goes only to the installation that gave it. */
export function chooseToken(
  options: GlobalOptions,
  env: Env,
  auth: AuthFile,
  baseUrl: string,
): TokenInUse | undefined {
  const named = namedToken(options, env)
  if (named) return named
  const stored = auth.find(baseUrl)
  return stored && { value: stored.token, from: 'aloft login' }
}

/** The token that was named for this call rather than stored. */
export function namedToken(options: GlobalOptions, env: Env): TokenInUse | undefined {
  if (options.token !== undefined) return { value: readToken('--token', options.token), from: '--token' }
  if (env.ALOFT_TOKEN) return { value: readToken('ALOFT_TOKEN', env.ALOFT_TOKEN), from: 'ALOFT_TOKEN' }
  return undefined
}

function readToken(name: string, text: string): Redacted {
  const token = text.trim()
  if (!/^[\x21-\x7e]+$/.test(token))
    throw usageError(`${name} is not a valid token: it is empty or contains spaces or unusual characters.`)
  return new Redacted(token)
}
