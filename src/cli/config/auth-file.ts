import { readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { Redacted } from '#contract/redacted.ts'
import { CliError, EXIT } from '../exit.ts'
import type { Env } from '../output/output.ts'
import { homeFolder } from './home-folder.ts'
import { changePrivately } from './private-file.ts'

/** The team that was chosen with `aloft teams switch`. */
export interface StoredTeam {
  readonly id: string
  readonly slug: string
}

interface StoredLogin {
  readonly token: Redacted
  readonly email: string
  readonly team?: StoredTeam
}

/** What `aloft login` stored: a token for each installation, and which one was logged in to last. */
export interface AuthFile {
  readonly path: string
  /** The installation that commands go to when nothing else names one. */
  current(): string | undefined
  find(baseUrl: string): StoredLogin | undefined
  /** The same person acts for the same team as before. */
  save(baseUrl: string, login: Omit<StoredLogin, 'team'>): void
  /** Remembers the team to act for, or none, unless another terminal replaced the login in the meantime. */
  switchTeam(baseUrl: string, token: Redacted, team: StoredTeam | undefined): void
  /** Forgets the login, unless another terminal replaced its token in the meantime. */
  forget(baseUrl: string, token: Redacted): void
}

interface Content {
  readonly current?: string
  readonly logins: Readonly<Record<string, Login>>
}

interface Login {
  readonly token: string
  readonly email: string
  readonly team?: StoredTeam
}

const EMPTY: Content = { logins: {} }

/** `$XDG_CONFIG_HOME/aloft/auth.json`; a relative value of the variable does not count, by its own rules. */
export function authPath(env: Env): string {
  const configured = env.XDG_CONFIG_HOME
  const base = configured && isAbsolute(configured) ? configured : join(homeFolder(env), '.config')
  return join(base, 'aloft', 'auth.json')
}

export function openAuthFile(path: string): AuthFile {
  function change(edit: (content: Content) => Content): void {
    try {
      changePrivately(path, () => `${JSON.stringify(edit(read(path)), null, 2)}\n`)
    } catch (error) {
      throw unusable(path, error)
    }
  }

  return {
    path,
    current: () => read(path).current,
    find(baseUrl) {
      const login = lookUp(read(path), baseUrl)
      return login && { ...login, token: new Redacted(login.token) }
    },
    save: (baseUrl, { email, token }) =>
      change((content) => {
        const before = lookUp(content, baseUrl)
        const team = before?.email === email ? before.team : undefined
        const login = { token: token.reveal(), email, ...(team === undefined ? {} : { team }) }
        return { current: baseUrl, logins: { ...content.logins, [baseUrl]: login } }
      }),
    switchTeam: (baseUrl, token, team) =>
      change((content) => {
        const before = lookUp(content, baseUrl)
        if (before?.token !== token.reveal()) return content
        const login = { token: before.token, email: before.email, ...(team === undefined ? {} : { team }) }
        return { ...content, logins: { ...content.logins, [baseUrl]: login } }
      }),
    forget: (baseUrl, token) =>
      change((content) => {
        if (lookUp(content, baseUrl)?.token !== token.reveal()) return content
        const { [baseUrl]: _gone, ...logins } = content.logins
        const { current } = content
        return { ...(current === undefined || current === baseUrl ? {} : { current }), logins }
      }),
  }
}

const lookUp = ({ logins }: Content, baseUrl: string) =>
  Object.hasOwn(logins, baseUrl) ? logins[baseUrl] : undefined

function read(path: string): Content {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return EMPTY
    throw unusable(path, error)
  }
  try {
    const content: unknown = JSON.parse(text)
    if (isContent(content)) return content
  } catch {
    // Falls through: both are a file that we did not write.
  }
  throw new CliError(
    EXIT.failure,
    `${path} is not a valid login file.`,
    'Move or delete it, then run `aloft login` again.',
  )
}

function isContent(value: unknown): value is Content {
  if (typeof value !== 'object' || value === null) return false
  const { current, logins } = value as { current?: unknown; logins?: unknown }
  return (
    (current === undefined || typeof current === 'string') &&
    typeof logins === 'object' &&
    logins !== null &&
    Object.values(logins).every(
      (login) =>
        typeof login?.token === 'string' &&
        typeof login.email === 'string' &&
        (login.team === undefined || isTeam(login.team)),
    )
  )
}

const isTeam = (team: { id?: unknown; slug?: unknown } | null): boolean =>
  typeof team?.id === 'string' && typeof team.slug === 'string'

const unusable = (path: string, error: unknown): CliError =>
  error instanceof CliError
    ? error
    : new CliError(
        EXIT.failure,
        `${path} cannot be used: ${(error as Error).message}.`,
        'Check the permissions of the file and its folder, or set ALOFT_TOKEN.',
      )
