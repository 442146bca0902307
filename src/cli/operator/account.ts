import type { Static } from 'typebox'
import type { getAccount } from '#contract/api/operator.ts'
import type { Output } from '../output/output.ts'
import { renderFacts } from '../output/table.ts'

type Account = Static<typeof getAccount.reply>

export const showAccount = (out: Output, account: Account): void =>
  out.show(account, () =>
    renderFacts(
      [
        ['account', account.slug],
        ['kind', account.kind],
        ['id', account.id],
        ...(account.email === undefined ? [] : ([['email', account.email]] as const)),
        ['plan', account.plan],
        [
          'status',
          account.softBlocked
            ? 'blocked: its sites are offline, and it can be read but not changed'
            : 'active',
        ],
      ],
      out.colors,
    ),
  )
