import { ApiError, UNEXPECTED_ANSWER } from '#client/api-error.ts'
import { ConnectionError } from '#client/connection-error.ts'
import { DeployError } from '#client/deploy/deploy-error.ts'
import { showDuration } from '#contract/amounts.ts'
import type { Command } from '../command.ts'
import type { TokenInUse } from '../config/settings.ts'
import { BadOutcome, CliError, EXIT, type ExitCode } from '../exit.ts'
import type { Output } from './output.ts'
import { plainText } from './plain-text.ts'

/** A failure in the three parts that help: what failed, why, and what to try. */
interface Explained {
  readonly exit: ExitCode
  readonly what: string | undefined
  readonly why: string
  readonly hint: string | undefined
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>
}

export interface Situation {
  /** The words that name the command or the group that was meant. */
  readonly name: string | undefined
  readonly command: Pick<Command, 'doing' | 'hints'> | undefined
  /** Where the token in use came from. */
  readonly tokenFrom: TokenInUse['from'] | undefined
  /** The team of `aloft teams switch`, where it counts. */
  readonly switchedTo?: string | undefined
}

export function explain(error: unknown, { name, command, tokenFrom, switchedTo }: Situation): Explained {
  const what = command && `Could not ${command.doing}.`
  if (error instanceof CliError)
    return {
      exit: error.exit,
      // A question of usage did not get as far as trying, and neither what somebody stopped nor a bad outcome has failed.
      what:
        error.exit === EXIT.usage || error.exit === EXIT.cancelled || error instanceof BadOutcome
          ? undefined
          : what,
      why: error.message,
      hint: error.hint ?? (error.exit === EXIT.usage ? helpLine(name) : undefined),
      code: error.code,
      details: {},
    }
  if (error instanceof DeployError)
    return { exit: EXIT.failure, what, why: error.message, hint: error.hint, code: error.code, details: {} }
  if (error instanceof ConnectionError)
    return {
      exit: EXIT.failure,
      what,
      why: error.message,
      hint:
        error.reason === 'refused'
          ? 'Start Aloft there with `aloft server`, or set another URL with --base-url or ALOFT_BASE_URL.'
          : `${error.hint} Set another URL with --base-url or ALOFT_BASE_URL.`,
      code: 'unreachable',
      details: { baseUrl: error.baseUrl },
    }
  if (error instanceof ApiError)
    return {
      exit: exitOf(error.status),
      what,
      why: error.message,
      hint:
        tokenHint(error, tokenFrom) ??
        command?.hints?.[error.code] ??
        teamHint(error, switchedTo) ??
        hintFor(error),
      code: error.code,
      details: { ...error.extra, status: error.status, requestId: error.requestId },
    }
  return {
    exit: EXIT.failure,
    what,
    why: error instanceof Error ? error.message : String(error),
    hint: 'Run it again with --debug to see more.',
    code: 'failed',
    details: {},
  }
}

const helpLine = (name: string | undefined): string => ['aloft', name, '--help'].filter(Boolean).join(' ')

const exitOf = (status: number): ExitCode =>
  status === 401 || status === 403 ? EXIT.forbidden : status === 404 ? EXIT.notFound : EXIT.failure

function tokenHint({ extra }: ApiError, from: TokenInUse['from'] | undefined): string | undefined {
  if (extra.invalidToken !== true && extra.missingToken !== true) return undefined
  return from === undefined || from === 'aloft login'
    ? 'Run `aloft login` to log in again.'
    : `The token comes from ${from}. Check it, or remove it to use your stored login.`
}

/** Who was switched to a team and left it since would be refused everywhere. */
const teamHint = ({ status }: ApiError, switchedTo: string | undefined): string | undefined =>
  status === 403 && switchedTo !== undefined
    ? `You are using the team ${switchedTo}. To use your personal account again, run \`aloft teams switch --personal\`.`
    : undefined

function hintFor(error: ApiError): string | undefined {
  if (error.code === UNEXPECTED_ANSWER) return 'Check the URL in --base-url or ALOFT_BASE_URL.'
  if (error.status === 402) return 'Ask an operator of this installation to unblock the account.'
  if (error.status === 429)
    return error.retryAfterMs === undefined
      ? 'Try again later.'
      : `Try again in ${showDuration(error.retryAfterMs)}.`
  if (error.status >= 500)
    return `Try again. If it keeps failing, ask an operator to look for ${error.requestId ?? 'it'} in the server log.`
  return undefined
}

/** For people, a line each; for programs, one line of JSON. Both go to stderr. */
export function printFailure(failure: Explained, out: Output): void {
  if (out.json) {
    const { code, why, hint, details } = failure
    out.say(JSON.stringify({ error: { ...details, code, message: why, ...(hint ? { hint } : {}) } }))
    return
  }
  const { red, bold, dim } = out.talkColors
  const { what, why, hint, details } = failure
  const head = plainText(what === undefined ? why : what)
  out.say(failure.exit === EXIT.cancelled ? head : `${bold(red('error:'))} ${head}`)
  if (what !== undefined) out.say(`  ${plainText(why)}`)
  if (hint !== undefined) out.say(`  ${bold('hint:')} ${plainText(hint)}`)
  if (typeof details.requestId === 'string') out.say(dim(`  request: ${plainText(details.requestId)}`))
}
