import type { QuotaUse, UsageReply } from '#contract/api/usage.ts'
import { showAmount } from '#contract/limit/quota-amount.ts'
import type { Colors } from '../output/output.ts'
import { renderTable } from '../output/table.ts'

const WIDTH = 20

/** Nearly all of it is used. */
const NEAR = 0.9

function bar({ used, limit }: QuotaUse, colors: Colors): string {
  if (limit === null) return ''
  const share = limit === 0 ? 1 : Math.min(1, used / limit)
  const filled = Math.min(WIDTH, Math.ceil(share * WIDTH))
  const text = `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${Math.floor(share * 100)}%`
  return share >= 1 ? colors.red(text) : share >= NEAR ? colors.yellow(text) : text
}

const allowed = ({ name, limit, per }: QuotaUse): string =>
  limit === null ? 'no limit' : `${showAmount(name, limit)}${per === undefined ? '' : ` a ${per}`}`

export const renderUsage = ({ quotas }: Pick<UsageReply, 'quotas'>, colors: Colors): string =>
  renderTable(
    ['WHAT', 'USED', 'ALLOWED', ''],
    quotas.flatMap((use) => [
      [use.title, showAmount(use.name, use.used), allowed(use), bar(use, colors)],
      ...(use.parts ?? []).map((part) => [`  ${part.title}`, showAmount(use.name, part.used), '', '']),
    ]),
    colors,
  )
