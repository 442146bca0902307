import { ApiError, isNotFound } from '#client/api-error.ts'
import type { Client } from '#client/client.ts'
import { ConnectionError } from '#client/connection-error.ts'
import { verify } from '#contract/api/login.ts'
import { MINUTE, SECOND } from '#contract/time.ts'
import { CliError, EXIT } from '../exit.ts'

/** Well within what one address may ask, for two terminals at once. */
const INTERVAL = 2 * SECOND
/** A login request lives this long. */
const LIFETIME = 30 * MINUTE
/** An installation that restarts meanwhile is waited for. */
const MAX_FAILURES = 15

const isPending = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'confirmation_incomplete'

const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  (error instanceof ApiError && (error.status === 429 || error.status >= 500))

/** Asks until the person has accepted the login. */
export async function pollLogin(parts: {
  readonly api: Client
  readonly email: string
  readonly token: string
  readonly now: () => number
  readonly wait: (ms: number) => Promise<void>
}): Promise<{ readonly token: string; readonly email: string }> {
  const { api, email, token, now, wait } = parts
  const end = now() + LIFETIME
  for (let failures = 0; now() < end; await wait(INTERVAL)) {
    try {
      return await api.call(verify, { query: { email, token } })
    } catch (error) {
      if (isNotFound(error)) break
      if (isPending(error)) failures = 0
      else if (!isPassing(error) || ++failures >= MAX_FAILURES) throw error
    }
  }
  throw new CliError(
    EXIT.failure,
    'The login request has expired or was used already.',
    'Run `aloft login` again and accept within 30 minutes.',
  )
}
