import { showBytes, showDuration } from '#contract/amounts.ts'
import type { TrafficPoint } from '#contract/api/analytics.ts'
import { formatCompact, formatNumber } from '../ui/text/format.ts'

/** One line, or one part of a bar, of a chart. */
interface Series {
  readonly name: string
  /** The name of its colour among the page's own. */
  readonly colour: string
  readonly value: (point: TrafficPoint) => number
}

export interface ChartKind {
  readonly title: string
  readonly about: string
  /** Parts of a whole, one on top of another, or lines side by side. */
  readonly form: 'stacked' | 'lines'
  readonly series: readonly Series[]
  /** In full, for the legend and the table. */
  readonly format: (value: number) => string
  /** In few letters, for the axis. */
  readonly short: (value: number) => string
}

export const CHARTS: readonly ChartKind[] = [
  {
    title: 'Requests',
    about: 'By status code.',
    form: 'stacked',
    series: [
      { name: '2xx', colour: '--good', value: ({ status }) => status['2xx'] },
      { name: '3xx', colour: '--accent', value: ({ status }) => status['3xx'] },
      { name: '4xx', colour: '--warn', value: ({ status }) => status['4xx'] },
      { name: '5xx', colour: '--bad', value: ({ status }) => status['5xx'] },
    ],
    format: formatNumber,
    short: formatCompact,
  },
  {
    title: 'Latency',
    about: 'Response time percentiles.',
    form: 'lines',
    series: [
      { name: 'p50', colour: '--good', value: ({ p50 }) => p50 },
      { name: 'p95', colour: '--warn', value: ({ p95 }) => p95 },
      { name: 'p99', colour: '--bad', value: ({ p99 }) => p99 },
    ],
    format: showDuration,
    short: showDuration,
  },
  {
    title: 'Data transfer',
    about: 'Size of response bodies.',
    form: 'stacked',
    series: [{ name: 'Data transfer', colour: '--accent', value: ({ bytes }) => bytes }],
    format: showBytes,
    short: showBytes,
  },
  {
    title: 'Cold starts',
    about: 'Requests that waited for an instance to start.',
    form: 'stacked',
    series: [{ name: 'Cold starts', colour: '--warn', value: ({ coldStarts }) => coldStarts }],
    format: formatNumber,
    short: formatCompact,
  },
]

/**
 * What is drawn, one list for each series. Parts of a whole are added up, and the whole comes first, so that each that
 * follows is drawn over what is left of those before it.
 */
export function heightsOf({ form, series }: ChartKind, points: readonly TrafficPoint[]): number[][] {
  const values = series.map(({ value }) => points.map(value))
  if (form === 'lines') return values
  return values
    .map((_, upTo) =>
      points.map((_, i) => values.slice(0, upTo + 1).reduce((sum, each) => sum + (each[i] ?? 0), 0)),
    )
    .toReversed()
}

/** The series in the order in which they are drawn. */
export const inDrawingOrder = ({ form, series }: ChartKind): readonly Series[] =>
  form === 'stacked' ? series.toReversed() : series

/** What a chart says, in a sentence. */
export function summaryOf(
  { title, form, series, format }: ChartKind,
  points: readonly TrafficPoint[],
  at: (point: TrafficPoint) => string,
): string {
  const height = (point: TrafficPoint) =>
    form === 'stacked'
      ? series.reduce((sum, { value }) => sum + value(point), 0)
      : Math.max(...series.map(({ value }) => value(point)))
  const highest = points.reduce<TrafficPoint | undefined>(
    (best, point) => (best === undefined || height(point) > height(best) ? point : best),
    undefined,
  )
  if (highest === undefined || height(highest) === 0) return `${title}: none in this period.`
  return `${title}: peak of ${format(height(highest))} at ${at(highest)}.`
}
