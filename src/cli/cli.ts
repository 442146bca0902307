import { hostname } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import type { Trace } from '#client/call/trace.ts'
import { type Client, createClient } from '#client/client.ts'
import type { AuthFile, StoredTeam } from './config/auth-file.ts'
import { type LinkedFolders, openLinkedFolders } from './config/linked-folders.ts'
import { chooseBaseUrl, chooseToken, namedToken, type TokenInUse } from './config/settings.ts'
import { printTrace } from './debug.ts'
import { CliError, EXIT, usageError } from './exit.ts'
import type { GlobalOptions } from './globals.ts'
import type { Env, Output } from './output/output.ts'
import type { Prompt } from './prompt.ts'
import { sendText } from './send-text.ts'

/** What a command is handed: where it talks to, as whom, and how it speaks to people and programs. */
export interface Cli {
  readonly baseUrl: string
  /** The value of `--team`, or of `--scope`, which is the same. */
  readonly team: string | undefined
  /** Whether this call says for whom it acts, by a team or by `--personal`: then nothing else does. */
  readonly namesAccount: boolean
  /** The folder that it was started in. */
  readonly cwd: string
  readonly env: Env
  readonly auth: AuthFile
  readonly linkedFolders: LinkedFolders
  readonly out: Output
  readonly prompt: Prompt
  readonly now: () => number
  readonly wait: (ms: number) => Promise<void>
  /** The name of this machine, for people to recognise it by. */
  readonly machine: string
  /** The token in use and where it came from; undefined when nobody is logged in. */
  token(): TokenInUse | undefined
  /** The token that this call names itself, whatever was stored. */
  namedToken(): TokenInUse | undefined
  /** The team of `aloft teams switch`; undefined when this call names a team or a token of its own. */
  switched(): StoredTeam | undefined
  /** Calls as the user, for the team when one is given. Refuses when nobody is logged in. */
  api(teamId?: string): Client
  /** Calls with a token of one's own, or with none. */
  apiWith(token: TokenInUse['value'] | undefined): Client
}

export function createCli(parts: {
  readonly options: GlobalOptions
  readonly env: Env
  readonly cwd: string
  readonly auth: AuthFile
  readonly out: Output
  readonly prompt: Prompt
  readonly version: string
}): Cli {
  const { options, env, auth, out } = parts
  const baseUrl = chooseBaseUrl(options, env, auth)
  const trace = (event: Trace) => printTrace(event, out, options.debug === true)
  const connect = (token: TokenInUse['value'] | undefined, teamId?: string): Client =>
    createClient({
      baseUrl,
      token: token?.reveal(),
      teamId,
      trace,
      sendText,
      userAgent: `aloft/${parts.version} node/${process.versions.node} ${process.platform}`,
    })

  const token = () => chooseToken(options, env, auth, baseUrl)
  const team = options.team ?? options.scope
  if (team !== undefined && options.personal === true)
    throw usageError('--personal and --team cannot be used together.')
  const namesAccount = team !== undefined || options.personal === true
  return {
    baseUrl,
    team,
    namesAccount,
    cwd: parts.cwd,
    env,
    auth,
    linkedFolders: openLinkedFolders(auth.path),
    out,
    prompt: parts.prompt,
    now: Date.now,
    wait: (ms) => setTimeout(ms),
    machine: hostname(),
    token,
    namedToken: () => namedToken(options, env),
    switched: () =>
      namesAccount || namedToken(options, env) !== undefined ? undefined : auth.find(baseUrl)?.team,
    api(teamId) {
      const found = token()
      if (!found)
        throw new CliError(
          EXIT.forbidden,
          `You are not logged in to ${baseUrl}.`,
          'Run `aloft login`, or set ALOFT_TOKEN.',
        )
      return connect(found.value, teamId)
    },
    apiWith: (value) => connect(value),
  }
}
