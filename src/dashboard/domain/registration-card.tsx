import { getDomainRegistry } from '#contract/api/registrar.ts'
import { useLater } from '../api/query.ts'
import { Card } from '../ui/layout/card.tsx'
import { formatDay } from '../ui/text/format.ts'
import type { Domain } from './domain-state.tsx'

const TRANSFER: Readonly<Record<string, string>> = {
  pending_owner: 'Waiting for the owner. Look for an email from the registrar and approve the transfer.',
  pending_admin: 'Waiting for the administrative contact.',
  pending_registry: 'Waiting for the registry. There’s nothing more you need to do.',
  completed: 'Completed.',
  cancelled: 'Cancelled. Start it again with a new authorization code.',
}

const Fact = ({ name, children }: { name: string; children: string }) => (
  <>
    <dt className="text-soft">{name}</dt>
    <dd>{children}</dd>
  </>
)

/** What is known of a domain at its registrar. */
export function RegistrationCard({ domain }: { domain: Domain }) {
  const { name, boughtAt, expiresAt, transferStartedAt, transferredAt, createdAt, creator } = domain
  const isMoving = transferStartedAt !== null && transferredAt === null
  const { data: registry } = useLater(
    'domain',
    getDomainRegistry,
    { params: { name } },
    { enabled: isMoving },
  )
  return (
    <Card title="Registration">
      <dl className="grid grid-cols-[8rem_minmax(0,1fr)] gap-y-2 text-sm">
        <Fact name="Added">{`${formatDay(createdAt)} by ${creator.username}`}</Fact>
        <Fact name="Registered">
          {boughtAt !== null
            ? `Bought through Aloft on ${formatDay(boughtAt)}`
            : transferredAt !== null
              ? `Transferred in on ${formatDay(transferredAt)}`
              : 'With another registrar'}
        </Fact>
        {expiresAt !== null && <Fact name="Expires">{formatDay(expiresAt)}</Fact>}
        {isMoving && (
          <Fact name="Transfer">
            {TRANSFER[registry?.status ?? ''] ?? `Started ${formatDay(transferStartedAt)}`}
          </Fact>
        )}
      </dl>
    </Card>
  )
}
