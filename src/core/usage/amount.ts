import { type QuotaName, quotaSpec } from '#contract/quotas.ts'

const STEPS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const

function inBytes(bytes: number): string {
  const step = bytes < 1024 ? 0 : Math.min(STEPS.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** step
  return `${value >= 100 || step === 0 ? Math.round(value) : Number(value.toFixed(1))} ${STEPS[step]}`
}

const ONE_OF: Partial<Record<QuotaName, readonly [string, string]>> = {
  instances: ['running instance', 'running instances'],
  keptInstances: ['instance that always runs', 'instances that always run'],
  deployments: ['deployment', 'deployments'],
}

/** So much of what a quota is about, in words. */
export function amountOf(name: QuotaName, amount: number): string {
  const { unit } = quotaSpec(name)
  if (unit === 'bytes') return inBytes(amount)
  if (unit === 'megabytes') return inBytes(amount * 2 ** 20)
  const rounded = Math.round(amount)
  const number = rounded.toLocaleString('en')
  if (unit === 'minutes') return `${number} ${rounded === 1 ? 'minute' : 'minutes'}`
  const [one, many] = ONE_OF[name] ?? ['', '']
  return `${number} ${rounded === 1 ? one : many}`
}
