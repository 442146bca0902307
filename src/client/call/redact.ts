const REDACTED = '[redacted]'

/** Names whose text is a secret: tokens, secrets, passwords, private keys, and the values of variables. */
const SECRET_NAME =
  /(?:token|secret|password|authorization|cookie|private_?key|api[-_]?key|auth_?code)$|^(?:value|key)$/i

/** Bytes in the form that `Buffer` has as JSON. */
const isBytes = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer'

const isSecret = (name: string, value: unknown): boolean =>
  (typeof value === 'string' || isBytes(value)) && SECRET_NAME.test(name)

/** What these hold has names of the user's own, which say nothing of what is a secret. */
const OF_OWN_NAMES: ReadonlySet<string> = new Set(['env', 'headers'])

/** A copy that may be printed: nothing under a secret's name, no variable, and the token itself nowhere. */
export function redact(value: unknown, token: string | undefined): unknown {
  if (typeof value === 'string') return token === undefined ? value : value.replaceAll(token, REDACTED)
  if (Array.isArray(value)) return value.map((item) => redact(item, token))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecret(name, inner) ? REDACTED : redact(OF_OWN_NAMES.has(name) ? withoutTexts(inner) : inner, token),
    ]),
  )
}

/** Lists are of objects that say by names of ours what is in them. */
function withoutTexts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const hidden = (inner: unknown) => (typeof inner === 'string' ? REDACTED : inner)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, hidden(inner)]))
}

export function redactUrl(text: string, token: string | undefined): string {
  const url = new URL(text)
  for (const [name, value] of [...url.searchParams])
    if (isSecret(name, value)) url.searchParams.set(name, REDACTED)
  return redact(url.href, token) as string
}
