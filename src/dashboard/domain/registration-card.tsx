import { getDomainRegistry } from '#contract/api/registrar.ts'
import { useLater } from '../api/query.ts'
import { Card } from '../ui/card.tsx'
import { formatDay } from '../ui/format.ts'
import type { Domain } from './domain-state.tsx'

const TRANSFER: Readonly<Record<string, string>> = {
  pending_owner: 'The transfer waits for the owner: look for a mail of the registrar and agree to it.',
  pending_admin: 'The transfer waits for the administrative contact.',
  pending_registry: 'The transfer waits for the registry. Nothing is left to do for you.',
  completed: 'The transfer is completed.',
  cancelled: 'The transfer was cancelled. Begin it again with a new code.',
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
            ? `Bought here, ${formatDay(boughtAt)}`
            : transferredAt !== null
              ? `Transferred here, ${formatDay(transferredAt)}`
              : 'Elsewhere'}
        </Fact>
        {expiresAt !== null && <Fact name="Paid until">{formatDay(expiresAt)}</Fact>}
        {isMoving && (
          <Fact name="Transfer">
            {TRANSFER[registry?.status ?? ''] ?? `Begun ${formatDay(transferStartedAt)}`}
          </Fact>
        )}
      </dl>
    </Card>
  )
}
