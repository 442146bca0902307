import { lazy, Suspense, useState } from 'react'
import type { TrafficPoint } from '#contract/api/analytics.ts'
import { Button } from '../ui/control/button.tsx'
import { Skeleton } from '../ui/feedback/skeleton.tsx'
import { Card } from '../ui/layout/card.tsx'
import { formatPoint, stepName } from './ranges.ts'
import { type ChartKind, summaryOf } from './series.ts'

// The library that draws comes when the first chart is shown.
const Chart = lazy(() => import('./chart.tsx'))

/** A chart with its legend in words, and its points as a table for whoever asks. */
export function ChartCard({
  kind,
  points,
  step,
}: {
  kind: ChartKind
  points: readonly TrafficPoint[]
  step: number
}) {
  const [index, setIndex] = useState<number>()
  const [asTable, setAsTable] = useState(false)
  const point = index === undefined ? undefined : points[index]
  const at = (each: TrafficPoint) => formatPoint(each.at, step)
  return (
    <Card
      title={kind.title}
      about={kind.about}
      actions={
        <Button
          size="small"
          look="quiet"
          aria-label={`${asTable ? 'Show chart' : 'Show table'}: ${kind.title}`}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? 'Show chart' : 'Show table'}
        </Button>
      }
    >
      <p className="sr-only">{summaryOf(kind, points, at)}</p>
      {asTable ? (
        <Points kind={kind} points={points} step={step} />
      ) : (
        <>
          <Suspense fallback={<Skeleton className="h-[220px]" />}>
            <Chart kind={kind} points={points} step={step} onCursor={setIndex} />
          </Suspense>
          <div className="mt-2 flex min-h-5 flex-wrap gap-x-4 gap-y-1 text-xs text-soft" aria-hidden="true">
            {kind.series.map(({ name, colour, value }) => (
              <span key={name} className="flex items-center gap-1.5 tabular-nums">
                <span className="size-2.5 rounded-sm" style={{ background: `var(${colour})` }} />
                {name}
                {point !== undefined && (
                  <span className="font-medium text-fg">{kind.format(value(point))}</span>
                )}
              </span>
            ))}
            <span className="ml-auto">{point === undefined ? `per ${stepName(step)}` : at(point)}</span>
          </div>
        </>
      )}
    </Card>
  )
}

/** Every point that is not empty, the newest first. */
function Points({ kind, points, step }: { kind: ChartKind; points: readonly TrafficPoint[]; step: number }) {
  const filled = points.filter(({ requests }) => requests > 0).toReversed()
  if (filled.length === 0) return <p className="text-sm text-soft">None in this period.</p>
  return (
    <section
      aria-label={`${kind.title} data`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
      tabIndex={0}
      className="max-h-64 overflow-auto rounded-lg border border-line"
    >
      <table className="w-full text-sm tabular-nums">
        <caption className="sr-only">{kind.title}</caption>
        <thead className="sticky top-0 bg-panel text-soft">
          <tr>
            <th scope="col" className="px-3 py-2 text-left font-medium">
              Time
            </th>
            {kind.series.map(({ name }) => (
              <th key={name} scope="col" className="px-3 py-2 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {filled.map((point) => (
            <tr key={point.at} className="border-t border-line">
              <th scope="row" className="px-3 py-1.5 text-left font-normal whitespace-nowrap">
                {formatPoint(point.at, step)}
              </th>
              {kind.series.map(({ name, value }) => (
                <td key={name} className="px-3 py-1.5 text-right">
                  {kind.format(value(point))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
