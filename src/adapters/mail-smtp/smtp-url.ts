import { withoutBrackets } from '#contract/address-in-url.ts'

interface SmtpServer {
  readonly host: string
  readonly port?: number
  /** TLS from the first byte; else STARTTLS where the server offers it. */
  readonly secure: boolean
  readonly requireTLS?: boolean
  readonly ignoreTLS?: boolean
  readonly name?: string
  readonly tls?: { readonly rejectUnauthorized?: boolean; readonly servername?: string }
  readonly auth?: { readonly user: string; readonly pass: string }
}

const SETTINGS = ['requireTLS', 'ignoreTLS', 'name', 'tls.rejectUnauthorized', 'tls.servername'] as const
type Setting = (typeof SETTINGS)[number]

/**
 * Reads `smtp[s]://user:password@host:port?requireTLS=true`, in nodemailer's words. Unknown settings are
 * refused: a misspelt `requireTLS` would send passwords in the clear. No error repeats the URL.
 */
export function readSmtpUrl(text: string): SmtpServer {
  const url = parse(text)
  const settings = readSettings(url.searchParams)
  const requireTLS = flag(settings, 'requireTLS')
  const ignoreTLS = flag(settings, 'ignoreTLS')
  if (requireTLS && ignoreTLS) throw new Error('The SMTP URL both requires and ignores TLS')
  const name = settings.get('name')
  const rejectUnauthorized = flag(settings, 'tls.rejectUnauthorized')
  const servername = settings.get('tls.servername')
  return {
    host: withoutBrackets(url.hostname),
    ...(url.port !== '' && { port: Number(url.port) }),
    secure: url.protocol === 'smtps:',
    ...(requireTLS !== undefined && { requireTLS }),
    ...(ignoreTLS !== undefined && { ignoreTLS }),
    ...(name !== undefined && { name }),
    tls: {
      ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
      ...(servername !== undefined && { servername }),
    },
    ...(url.username !== '' && { auth: { user: decode(url.username), pass: decode(url.password) } }),
  }
}

function parse(text: string): URL {
  const url = URL.parse(text)
  if (url === null)
    throw new Error(
      'The SMTP URL is not a URL; characters like @ and / in a password are written %40 and %2F',
    )
  if (url.protocol !== 'smtp:' && url.protocol !== 'smtps:')
    throw new Error('The SMTP URL starts with neither smtp:// nor smtps://')
  if (url.hostname === '') throw new Error('The SMTP URL names no host')
  if (url.username === '' && url.password !== '') throw new Error('The SMTP URL has a password but no user')
  return url
}

function readSettings(params: URLSearchParams): ReadonlyMap<Setting, string> {
  const settings = new Map<Setting, string>()
  for (const [key, value] of params) {
    const setting = SETTINGS.find((known) => known === key)
    if (setting === undefined)
      throw new Error(
        `The SMTP URL has the unknown setting ${JSON.stringify(key)}; known are ${SETTINGS.join(', ')}`,
      )
    settings.set(setting, value)
  }
  return settings
}

function flag(settings: ReadonlyMap<Setting, string>, setting: Setting): boolean | undefined {
  const value = settings.get(setting)
  if (value === undefined) return undefined
  if (value !== 'true' && value !== 'false')
    throw new Error(`${setting} in the SMTP URL is neither true nor false`)
  return value === 'true'
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new Error('User or password in the SMTP URL have a % that is not written %25')
  }
}
