import type { Static } from 'typebox'
import type { QuotaChange } from '#contract/api/usage.ts'
import { readLimit } from '#contract/limit/quota-amount.ts'
import { QUOTA_NAMES } from '#contract/limit/quotas.ts'
import { usageError } from '../../exit.ts'

export const QUOTA_ARGUMENT =
  'name=limit, such as contentBytes=20GB; none removes the limit, default restores it'

/** `contentBytes=20GB buildMinutes=none` */
export function readQuotas(texts: readonly string[]): Static<typeof QuotaChange> {
  const change: Static<typeof QuotaChange> = {}
  for (const text of texts) {
    const [given = '', ...rest] = text.split('=')
    const name = QUOTA_NAMES.find((known) => known.toLowerCase() === given.toLowerCase())
    if (name === undefined)
      throw usageError(`There is no quota "${given}".`, `Use one of ${QUOTA_NAMES.join(', ')}.`)
    const limit = readLimit(name, rest.join('='))
    if (limit === undefined)
      throw usageError(
        `"${text}" is not a valid limit.`,
        'Use a number, as in deployments=100 or contentBytes=20GB, or none or default.',
      )
    change[name] = limit
  }
  return change
}
