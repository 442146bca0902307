import { count } from '#contract/words/wording.ts'
import { formatNumber } from '../ui/text/format.ts'

const [WIDTH, HEIGHT] = [120, 28]

/** Requests hour by hour, small enough for a card. */
export function Sparkline({
  requests,
  total,
  errors,
}: {
  requests: readonly number[]
  total: number
  errors: number
}) {
  const most = Math.max(...requests, 1)
  const step = WIDTH / Math.max(requests.length - 1, 1)
  const points = requests.map((value, at) => `${at * step},${HEIGHT - 2 - (value / most) * (HEIGHT - 4)}`)
  const says = `${count(total, 'request')} in the last 24 hours${errors > 0 ? `, ${formatNumber(errors)} failed` : ''}`
  return (
    <svg
      role="img"
      aria-label={says}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={`h-7 w-full ${errors > 0 ? 'text-bad' : 'text-accent'}`}
    >
      <title>{says}</title>
      <path d={`M0,${HEIGHT}L${points.join('L')}L${WIDTH},${HEIGHT}Z`} fill="currentColor" opacity="0.12" />
      <path
        d={`M${points.join('L')}`}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}
