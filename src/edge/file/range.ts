/** Bytes from `start` up to but not including `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * What to do with a Range header: serve the spans, say that none of them exists, or go on as if it were not
 * there, which is right for other units, for bad syntax, and for what would only make us work.
 */
export type RangeRequest = readonly Span[] | 'unsatisfiable' | 'ignored'

/** Nobody who means well asks for more pieces at once. */
const MAX_SPANS = 32

const UNIT = /^bytes\s*=/i
const SPEC = /^(\d*)-(\d*)$/

export function readRange(header: string, size: number): RangeRequest {
  const unit = UNIT.exec(header)?.[0]
  if (unit === undefined) return 'ignored'
  const specs = header
    .slice(unit.length)
    .split(',')
    .map((spec) => spec.trim())
    .filter((spec) => spec !== '')
  if (specs.length === 0 || specs.length > MAX_SPANS) return 'ignored'
  const spans: Span[] = []
  let total = 0
  for (const spec of specs) {
    const span = readSpec(spec, size)
    if (span === 'malformed') return 'ignored'
    if (span === 'outside') continue
    spans.push(span)
    total += span.end - span.start
  }
  if (spans.length === 0) return 'unsatisfiable'
  // Spans that overlap so much that the whole would be less.
  return spans.length > 1 && total > size ? 'ignored' : spans
}

function readSpec(spec: string, size: number): Span | 'malformed' | 'outside' {
  const [matched, first = '', last = ''] = SPEC.exec(spec) ?? []
  if (matched === undefined || (first === '' && last === '')) return 'malformed'
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'outside' : { start: size - length, end: size }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return 'malformed'
  if (start >= size) return 'outside'
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) }
}

export const contentRange = ({ start, end }: Span, size: number): string =>
  `bytes ${start}-${end - 1}/${size}`
