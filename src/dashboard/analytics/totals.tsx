import type { ReactNode } from 'react'
import { showBytes, showDuration } from '#contract/amounts.ts'
import type { Traffic } from '#contract/api/analytics.ts'
import { classes } from '../ui/classes.ts'
import { formatCompact, formatNumber } from '../ui/text/format.ts'

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 2 })

/** The numbers of the whole time. */
export const Totals = ({ totals, errors }: { totals: Traffic; errors: ReactNode }) => {
  const failed = totals.status['5xx']
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-xl border border-line bg-line sm:grid-cols-4">
      <Total name="Requests" value={formatCompact(totals.requests)} title={formatNumber(totals.requests)} />
      <Total
        name="Error rate (5xx)"
        value={percent.format(failed / Math.max(totals.requests, 1))}
        title={formatNumber(failed)}
        isBad={failed > 0}
      >
        {failed > 0 && errors}
      </Total>
      <Total
        name="Data transfer"
        value={showBytes(totals.bytes)}
        title={`${formatNumber(totals.bytes)} bytes`}
      />
      <Total
        name="Cold starts"
        value={formatCompact(totals.coldStarts)}
        title={formatNumber(totals.coldStarts)}
      />
      <Total name="Median (p50)" value={showDuration(totals.p50)} />
      <Total name="p95 latency" value={showDuration(totals.p95)} />
      <Total name="p99 latency" value={showDuration(totals.p99)} />
      <Total
        name="Client errors (4xx)"
        value={formatCompact(totals.status['4xx'])}
        title={formatNumber(totals.status['4xx'])}
      />
    </dl>
  )
}

const Total = ({
  name,
  value,
  title,
  isBad = false,
  children,
}: {
  name: string
  value: string
  title?: string
  isBad?: boolean
  children?: ReactNode
}) => (
  <div className="bg-panel px-5 py-4">
    <dt className="text-sm text-soft">{name}</dt>
    <dd className="mt-0.5" title={title}>
      <span className={classes('text-xl font-semibold tabular-nums', isBad && 'text-bad')}>{value}</span>
      {children && <span className="ml-2 text-sm">{children}</span>}
    </dd>
  </div>
)
