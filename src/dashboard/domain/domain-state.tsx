import type { listDomains } from '#contract/api/domain.ts'
import type { ReplyOf } from '#contract/endpoint.ts'
import { DAY } from '#contract/time.ts'
import { Badge } from '../ui/badge.tsx'
import { Time } from '../ui/text/time.tsx'

export type Domain = ReplyOf<(typeof listDomains)['reply']>['domains'][number]

const SOON_MS = 30 * DAY

/** Whether it is this account's, and on its way here. */
export const DomainState = ({ domain }: { domain: Domain }) => (
  <span className="flex flex-wrap gap-1.5">
    {domain.verified ? <Badge tone="good">Verified</Badge> : <Badge tone="warn">Not verified</Badge>}
    {domain.transferStartedAt !== null && domain.transferredAt === null && (
      <Badge tone="accent">Transfer in progress</Badge>
    )}
    {domain.boughtAt !== null && <Badge>Bought through Aloft</Badge>}
  </span>
)

/** Until when it is paid for, where that is known. */
export const Expiry = ({ domain: { expiresAt } }: { domain: Domain }) =>
  expiresAt === null ? (
    <span className="text-soft">–</span>
  ) : expiresAt - Date.now() < SOON_MS ? (
    <Badge tone={expiresAt < Date.now() ? 'bad' : 'warn'}>
      <Time at={expiresAt} />
    </Badge>
  ) : (
    <Time at={expiresAt} />
  )
