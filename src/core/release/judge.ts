import type { Traffic } from '#contract/api/analytics.ts'
import type { Check, Gate } from './release.ts'

/** Differences that nobody would notice are none, whatever they are in per cent. */
const NOTICEABLE_MS = 20

const errorRate = ({ requests, status }: Traffic): number => (100 * status['5xx']) / requests

const round = (value: number): number => Math.round(value * 10) / 10

/** Why the new deployment is worse than the one that is live, in words; undefined where it is not, or nobody can tell. */
export function whyWorse({ checks }: Gate, canary: Traffic, current: Traffic): string | undefined {
  for (const check of checks) {
    const reason = failureOf(check, canary, current)
    if (reason !== undefined) return reason
  }
  return undefined
}

function failureOf(
  { type, margin, minSampleSize }: Check,
  canary: Traffic,
  current: Traffic,
): string | undefined {
  if (canary.requests < minSampleSize) return undefined
  if (type === 'error-rate-5xx') {
    const [now, before] = [errorRate(canary), current.requests > 0 ? errorRate(current) : 0]
    return now > before + margin
      ? `${round(now)}% of its responses were server errors (5xx), ${round(before)}% of the live deployment’s.`
      : undefined
  }
  if (current.requests < minSampleSize) return undefined
  const [now, before] = [canary.p95, current.p95]
  return now > before * (1 + margin / 100) && now - before >= NOTICEABLE_MS
    ? `Its p95 latency was ${Math.round(now)} ms, that of the live deployment ${Math.round(before)} ms.`
    : undefined
}
