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

/** Longer ones are no part of the expression: one of some ten thousand characters is refused, and quoted in the error. */
const LONGEST_IN_PATTERN = 1000

interface Span {
  readonly start: number
  readonly end: number
}

export function createRedactor(secrets: readonly string[]): Redactor {
  const forms = [...new Set(secrets.filter((secret) => secret.length >= SHORTEST).flatMap(formsOf))].sort(
    (a, b) => b.length - a.length,
  )
  if (forms.length === 0) return { redact: (text) => text, cut: (_, at) => at, reach: 0 }
  const long = forms.filter(({ length }) => length > LONGEST_IN_PATTERN)
  const pattern = patternOf(forms.slice(long.length))

  function* spansIn(text: string): Generator<Span> {
    for (const form of long)
      for (let start = text.indexOf(form); start !== -1; start = text.indexOf(form, start + form.length))
        yield { start, end: start + form.length }
    if (pattern)
      for (const { index, 0: found } of text.matchAll(pattern))
        yield { start: index, end: index + found.length }
  }

  return {
    redact(text) {
      const rest = long.reduce((left, form) => left.replaceAll(form, MARK), text)
      return pattern ? rest.replace(pattern, MARK) : rest
    },
    cut(text, at) {
      const spans = [...spansIn(text)]
      let cut = at
      for (;;) {
        const over = spans.find(({ start, end }) => start < cut && end > cut)
        if (over === undefined) return cut
        // A secret that fills everything up to here is cut behind it.
        if (over.start === 0) return over.end
        cut = over.start
      }
    },
    reach: forms[0]?.length ?? 0,
  }
}

const patternOf = (forms: readonly string[]): RegExp | undefined =>
  forms.length === 0
    ? undefined
    : new RegExp(forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'g')
