import { type QuotaName, quotaSpec } from '#contract/limit/quotas.ts'

/** The name of the day or month in which a quota counts now, or nothing where it has none. */
export function periodOf(name: QuotaName, now: number): string {
  const { per } = quotaSpec(name)
  const date = new Date(now).toISOString()
  return per === undefined ? '' : date.slice(0, per === 'day' ? 10 : 7)
}

/** When what was used up is forgotten. */
export function resetOf(name: QuotaName, now: number): number | undefined {
  const { per } = quotaSpec(name)
  const date = new Date(now)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  if (per === 'day') return Date.UTC(year, month, day + 1)
  return per === 'month' ? Date.UTC(year, month + 1) : undefined
}
