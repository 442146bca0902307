import type { QuotaUse } from '#contract/api/usage.ts'
import { showAmount } from '#contract/limit/quota-amount.ts'
import { Badge } from '../ui/badge.tsx'
import { ProgressBar } from '../ui/feedback/progress-bar.tsx'
import { Time } from '../ui/text/time.tsx'

/** From here on somebody should look at it. */
const NEAR = 0.9

function Use({ use, own }: { use: QuotaUse; own: boolean }) {
  const { name, title, used, limit, per, reset, parts } = use
  const share = limit === null ? undefined : limit === 0 ? 1 : Math.min(1, used / limit)
  return (
    <li className="py-4 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <span className="flex items-center gap-2 font-medium">
          {title}
          {own && <Badge>Custom</Badge>}
          {share === 1 && <Badge tone="bad">Limit reached</Badge>}
        </span>
        <span className="text-sm text-soft">
          <span className="font-medium text-fg">{showAmount(name, used)}</span>
          {limit === null ? ' (no limit)' : ` of ${showAmount(name, limit)}`}
          {per !== undefined && (per === 'day' ? ' today' : ' this month')}
        </span>
      </div>
      {share !== undefined && (
        <div className="mt-2">
          <ProgressBar label={title} done={share} of={1} bad={share >= NEAR} />
        </div>
      )}
      {parts !== undefined && (
        <p className="mt-1.5 text-sm text-soft">
          {parts.map((part) => `${part.title}: ${showAmount(name, part.used)}`).join(', ')}
        </p>
      )}
      {reset !== undefined && (
        <p className="mt-1.5 text-sm text-soft">
          Resets <Time at={reset} />
        </p>
      )}
    </li>
  )
}

/** What is used of what is allowed, a line for each. */
export const UsageBars = ({
  quotas,
  changed = [],
}: {
  quotas: readonly QuotaUse[]
  changed?: readonly string[]
}) => (
  <ul className="divide-y divide-line">
    {quotas.map((use) => (
      <Use key={use.name} use={use} own={changed.includes(use.name)} />
    ))}
  </ul>
)
