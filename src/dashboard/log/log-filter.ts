import type { ProjectLogFilter } from '#client/follow/project-log.ts'
import { HOUR } from '#contract/time.ts'

/** What of a project's log is wanted, in the words of the page's address. */
export interface LogRequest {
  readonly text: string
  readonly path: string
  readonly status: string
  readonly level: string
  readonly type: string
  readonly deployment: string
  readonly target: string
  /** How far back: one of `RANGES`, or empty for all time. */
  readonly range: string
}

export const RANGES = [
  { value: '', label: 'All time' },
  { value: '15m', label: 'Last 15 minutes', ms: HOUR / 4 },
  { value: '1h', label: 'Last hour', ms: HOUR },
  { value: '24h', label: 'Last 24 hours', ms: 24 * HOUR },
  { value: '3d', label: 'Last 3 days', ms: 72 * HOUR },
] as const

export const STATUSES = [
  { value: '', label: 'Any status' },
  { value: '2xx', label: '2xx success' },
  { value: '3xx', label: '3xx redirect' },
  { value: '4xx', label: '4xx client error' },
  { value: '5xx', label: '5xx server error' },
  { value: '4xx,5xx', label: '4xx and 5xx' },
] as const

export const LEVELS = [
  { value: '', label: 'Any level' },
  { value: 'error', label: 'Errors' },
  { value: 'warning,error', label: 'Warnings and errors' },
  { value: 'info', label: 'Info' },
] as const

export const TYPES = [
  { value: '', label: 'Requests and output' },
  { value: 'request', label: 'Requests' },
  { value: 'stdout,stderr', label: 'Output (stdout and stderr)' },
  { value: 'stderr', label: 'stderr only' },
] as const

/** A status of one's own, such as `404`, is a choice too. */
export const withOwn = (
  options: readonly { readonly value: string; readonly label: string }[],
  value: string,
): readonly { readonly value: string; readonly label: string }[] =>
  options.some((option) => option.value === value) ? options : [...options, { value, label: value }]

/** What to ask the API for. */
export function toFilter(request: LogRequest, now: number): ProjectLogFilter {
  const range = RANGES.find(({ value }) => value === request.range)
  const said = (name: string, value: string) => (value.trim() === '' ? {} : { [name]: value.trim() })
  return {
    ...said('q', request.text),
    ...said('path', request.path),
    ...said('status', request.status),
    ...said('level', request.level),
    ...said('type', request.type),
    ...said('deploymentId', request.deployment),
    ...said('target', request.target),
    ...(range !== undefined && 'ms' in range && { since: String(now - range.ms) }),
  }
}
