import { NotAccepted } from './readers.ts'
import { type Config, type Fallbacks, SETTINGS, type Setting, type SettingName } from './settings.ts'

export type { Config } from './settings.ts'

/** Raised once, with a line for every mistake. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'))
    this.mistakes = mistakes
  }
}

const SECRET_NAME = /KEY|TOKEN|(?:DATABASE|REDIS|SMTP)_URL/
const SHOWN_CHARACTERS = 100
/** On one line, cut where it is long. */
const quoted = (value: string) =>
  JSON.stringify(value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)}…` : value)
const shown = (variable: string, value: string) =>
  SECRET_NAME.test(variable) ? 'the given value' : quoted(value.replace(/\/\/[^/]*@/, '//…@'))

/** What a value of the file says in a variable; text, numbers and lists of both can be said there. */
function textOf(given: unknown): { readonly value: string; readonly isText: boolean } {
  const list = Array.isArray(given) ? given : [given]
  const isText = list.every((entry) => typeof entry === 'string' || typeof entry === 'number')
  return { value: isText ? list.join(',') : JSON.stringify(given), isText }
}

/** Reads the environment over the file's values, once. */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  file: Readonly<Record<string, unknown>> = {},
): Config {
  const mistakes: string[] = []
  const rows = Object.entries(SETTINGS) as unknown as [SettingName, Setting<unknown>][]

  const known = new Set<string>(rows.flatMap(([name, { variable }]) => [name, variable]))
  for (const key of Object.keys(file))
    if (!known.has(key)) mistakes.push(`aloft.config.json: there is no setting ${quoted(key)}`)

  const values: Record<string, unknown> = {}
  const read = (name: SettingName, { variable, read, usual, fallback }: Setting<unknown>) => {
    const key = env[variable] !== undefined ? variable : file[name] != null ? name : variable
    const given = env[variable] ?? file[key]
    const unset = () => (usual === undefined ? fallback?.(values as unknown as Fallbacks) : read(usual))
    if (given === undefined || given === null || given === '') {
      values[name] = unset()
      return
    }
    const { value, isText } = textOf(given)
    try {
      const result = read(value)
      if (!isText) throw new NotAccepted('text or a number')
      values[name] = result
    } catch (error) {
      if (!(error instanceof NotAccepted)) throw error
      // Others are derived from it, before the mistake is told.
      values[name] = unset()
      const where = env[variable] === undefined ? `aloft.config.json: ${key}` : variable
      mistakes.push(`${where}: ${shown(variable, value)} is not accepted; it should be ${error.message}`)
    }
  }
  for (const [name, row] of rows) read(name, row)

  const config = values as Config
  if ((config.bootstrapEmail === undefined) !== (config.bootstrapToken === undefined))
    mistakes.push('ALOFT_BOOTSTRAP_EMAIL, ALOFT_BOOTSTRAP_TOKEN: set both or none')
  if (
    config.registrar === 'name.com' &&
    (config.registrarUser === undefined || config.registrarKey === undefined)
  )
    mistakes.push('ALOFT_REGISTRAR: name.com needs ALOFT_REGISTRAR_USER and ALOFT_REGISTRAR_KEY')
  if (
    (config.blobUrl ?? config.blobFrom) !== undefined &&
    (config.awsKeyId === undefined || config.awsSecretKey === undefined)
  )
    mistakes.push(
      `${config.blobUrl === undefined ? 'ALOFT_BLOB_FROM' : 'ALOFT_BLOB_URL'}: an object store needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`,
    )
  if (config.blobFrom !== undefined && config.blobUrl !== undefined)
    mistakes.push(
      'ALOFT_BLOB_FROM: can only be used without ALOFT_BLOB_URL, to move files from an object store to the disk; to change object stores, move them to the disk first',
    )
  const taken = [config.port, config.tlsPort].filter((p) => p > 0)
  if (new Set(taken).size < taken.length)
    mistakes.push(
      `ALOFT_TLS_PORT: ${config.tlsPort} is already used by ALOFT_PORT; choose another port, or 0 to disable it`,
    )
  if (taken.includes(config.dnsPort))
    mistakes.push(
      `ALOFT_DNS_PORT: ${config.dnsPort} is already used by another listener; choose another port, or 0 to disable it`,
    )
  if (config.sshPort > 0 && [...taken, config.dnsPort].includes(config.sshPort))
    mistakes.push(
      `ALOFT_SSH_PORT: ${config.sshPort} is already used by another listener; choose another port, or 0 to disable it`,
    )
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  return Object.freeze(config)
}

/** Variables that look like settings and are none: most probably misspelt, so the start warns of them. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set<string>(Object.values(SETTINGS).map(({ variable }) => variable))
  for (const other of ['ALOFT_TOKEN', 'ALOFT_TEST_MISSING']) known.add(other)
  return Object.keys(env).filter((name) => name.startsWith('ALOFT_') && !known.has(name))
}
