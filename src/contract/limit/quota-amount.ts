import { showBytes, showMemory } from '../amounts.ts'
import { type QuotaName, quotaSpec } from './quotas.ts'

const NOUNS: Partial<Record<QuotaName, readonly [one: string, many: string]>> = {
  instances: ['running instance', 'running instances'],
  keptInstances: ['instance that always runs', 'instances that always run'],
  deployments: ['deployment', 'deployments'],
  projects: ['project', 'projects'],
  aliases: ['alias', 'aliases'],
  domains: ['domain', 'domains'],
  certificates: ['certificate', 'certificates'],
  secrets: ['secret', 'secrets'],
  members: ['member', 'members'],
  teams: ['team', 'teams'],
  tokens: ['token', 'tokens'],
}

/** So much of what a quota is about: `1.2 GB`, `12 min`, `3`. */
export function showAmount(name: QuotaName, amount: number): string {
  const { unit } = quotaSpec(name)
  if (unit === 'bytes') return showBytes(amount).replace('.0 ', ' ')
  if (unit === 'megabytes') return showMemory(Math.round(amount))
  const number = Math.round(amount).toLocaleString('en')
  return unit === 'minutes' ? `${number} min` : number
}

/** The same as part of a sentence: `3 deployments`. */
export function amountOf(name: QuotaName, amount: number): string {
  const [one, many] = NOUNS[name] ?? []
  return one === undefined
    ? showAmount(name, amount)
    : `${showAmount(name, amount)} ${Math.round(amount) === 1 ? one : many}`
}

const POWERS: Readonly<Record<string, number>> = { '': 0, K: 1, M: 2, G: 3, T: 4 }

/** What somebody typed: `20GB`, `600`, `none` for no limit (null), `default`. Undefined where it is none of these. */
export function readLimit(name: QuotaName, text: string): number | null | 'default' | undefined {
  const given = text.trim().toLowerCase()
  if (given === 'default') return 'default'
  if (given === 'none') return null
  const [, digits, letter = '', binary = ''] = /^(\d+(?:\.\d+)?) ?([kmgt]?)(i?)b?$/.exec(given) ?? []
  if (digits === undefined) return undefined
  const power = POWERS[letter.toUpperCase()] ?? 0
  const { unit } = quotaSpec(name)
  if (unit !== 'bytes' && unit !== 'megabytes') return /^\d+$/.test(given) ? Number(given) : undefined
  if (unit === 'bytes') return Math.round(Number(digits) * (binary === '' ? 1000 : 1024) ** power)
  // Memory goes by powers of 1024, however it is written.
  return Math.round(Number(digits) * 1024 ** Math.max(0, power - 2))
}
