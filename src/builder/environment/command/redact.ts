/** Shorter ones stand in any text by chance. */
const SHORTEST = 4
/** A line of a secret of several lines, such as a key, tells more than nothing only from this length. */
const SHORTEST_LINE = 8
const MARK = '[redacted]'

export interface Redactor {
  /** The text without any secret. */
  redact(text: string): string
  /** Where to cut a text, at `at` or before, so that no secret is cut in two; `reach` more must follow. */
  cut(text: string, at: number): number
  /** The length of the longest secret. */
  readonly reach: number
}

/** The ways in which programs print a value. */
function formsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '')
  const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())]
  // A few characters of base64 again stand in many a text.
  if (base64.length >= 2 * SHORTEST) forms.push(base64, base64.replaceAll('+', '-').replaceAll('/', '_'))
  const lines = secret.includes('\n') ? secret.split(/\r?\n/).map((line) => line.trim()) : []
  return [...forms, ...lines.filter((line) => line.length >= SHORTEST_LINE)]
}

export function createRedactor(secrets: readonly string[]): Redactor {
  const forms = [...new Set(secrets.filter((secret) => secret.length >= SHORTEST).flatMap(formsOf))].sort(
    (a, b) => b.length - a.length,
  )
  if (forms.length === 0) return { redact: (text) => text, cut: (_, at) => at, reach: 0 }
  const pattern = new RegExp(forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'g')
  return {
    redact: (text) => text.replace(pattern, MARK),
    cut(text, at) {
      for (const { index, 0: found } of text.matchAll(pattern)) {
        if (index >= at) break
        // A secret that fills everything up to here is cut behind it.
        if (index + found.length > at) return index > 0 ? index : index + found.length
      }
      return at
    },
    reach: forms[0]?.length ?? 0,
  }
}
