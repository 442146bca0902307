import { showBytes } from '#contract/amounts.ts'
import { getStatus } from '#contract/api/operator.ts'
import { count } from '#contract/words/wording.ts'
import { useRead } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { Icon } from '../ui/icon.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Facts } from '../ui/layout/facts.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { formatNumber } from '../ui/text/format.ts'
import { Time } from '../ui/text/time.tsx'
import { withCode } from '../ui/text/with-code.tsx'
import { Meter } from './meter.tsx'
import { RefreshButton } from './refresh-button.tsx'
import { UnknownEndpoints } from './unknown-endpoints.tsx'

const ROLES = { supervisor: 'Supervisor', serve: 'Serving', work: 'Worker' } as const

export function HealthPage() {
  const status = useRead('operator', getStatus)
  const wrong = status.checks.filter(({ ok }) => !ok)
  const warnings = status.checks.filter(({ ok, warning }) => ok && warning)
  const fine = status.checks.filter(({ ok, warning }) => ok && !warning)
  return (
    <Page title="Health" about={`Aloft ${status.version} at ${status.baseUrl}`} actions={<RefreshButton />}>
      <Card
        title={
          wrong.length === 0
            ? warnings.length === 0
              ? 'All systems operational'
              : `Operational, with ${count(warnings.length, 'warning')}`
            : `${wrong.length} of ${status.checks.length} checks need attention`
        }
      >
        <ul className="space-y-3">
          {[...wrong, ...warnings, ...fine].map(({ name, ok, warning, message, hint }) => (
            <li key={name} className="flex items-start gap-3 text-sm">
              <span className={`mt-0.5 ${warning ? 'text-warn' : ok ? 'text-good' : 'text-bad'}`}>
                <Icon name={ok && !warning ? 'check' : 'warning'} />
              </span>
              <span className="min-w-0">
                <span className="font-medium first-letter:uppercase inline-block">
                  {name === 'https' ? 'HTTPS' : name}
                </span>
                <span className="sr-only">{warning ? ': warning' : ok ? ': OK' : ': needs attention'}</span>
                <span className="block break-words text-soft">{withCode(message)}</span>
                {hint !== undefined && <span className="block break-words">{withCode(hint)}</span>}
              </span>
            </li>
          ))}
        </ul>
      </Card>

      <div className="grid gap-6 md:grid-cols-3">
        <Card title="Disk">
          <Meter of={status.disk} />
          <p className="mt-3 text-sm text-soft">
            Database {showBytes(status.database.bytes)}, deployed files {showBytes(status.blobs.bytes)}
          </p>
        </Card>
        <Card title="Memory">
          <Meter of={status.memory} />
        </Card>
        <Card title="Queue">
          <dl className="grid grid-cols-3 gap-2 text-center">
            {(['queued', 'running', 'failed'] as const).map((state) => (
              <div key={state} className="flex flex-col-reverse">
                <dt className="text-sm text-soft">{state}</dt>
                <dd
                  className={`text-2xl font-semibold ${state === 'failed' && status.queue.failed > 0 ? 'text-bad' : ''}`}
                >
                  {formatNumber(status.queue[state])}
                </dd>
              </div>
            ))}
          </dl>
        </Card>
      </div>

      <Card title="Configuration">
        <Facts
          facts={[
            ['Version', `${status.version} on Node.js ${status.node}`],
            ['Database', `${status.database.kind}, schema ${status.database.schema}`],
            ['Sites domain', `*.${status.domain}`],
            ['IP addresses', status.addresses.join(', ') || 'unknown'],
            ['Nameservers', status.nameservers.join(', ') || 'none'],
            [
              'Ports',
              `HTTP ${status.ports.http}, TLS ${status.ports.tls || 'off'}, DNS ${status.ports.dns || 'off'}`,
            ],
            [
              'Certificates',
              `${status.certificates.authority === 'acme' ? 'Public certificate authority' : 'Local certificate authority'}, ${status.certificates.expiring} expiring within 14 days`,
            ],
            ['Email', status.mail === 'smtp' ? 'SMTP' : 'Not configured (saved to the outbox folder)'],
            [
              'User code',
              `${status.runtime}, isolated by ${status.sandbox.kind ?? 'no sandbox'} (${status.sandbox.mode})`,
            ],
            ...status.sandbox.inForce.map(([what = '', how = '']) => [`User code: ${what}`, how] as const),
            ['Origin', status.origin],
            ['Up since', <Time key="since" at={status.startedAt} />],
          ]}
        />
      </Card>

      <Card title="Processes on this machine" flush>
        <Table
          label="Processes"
          rows={status.processes}
          rowKey={({ name, pid }) => `${name}-${pid}`}
          columns={[
            {
              title: 'Process',
              cell: ({ name }) => (
                <span className="font-medium first-letter:uppercase inline-block">{name}</span>
              ),
            },
            { title: 'Role', wide: true, cell: ({ role }) => ROLES[role] },
            { title: 'PID', wide: true, cell: ({ pid }) => <code>{pid}</code> },
            {
              title: 'Memory',
              align: 'right',
              cell: ({ memory }) => (memory === null ? '–' : showBytes(memory)),
            },
            {
              title: 'Restarts',
              align: 'right',
              cell: ({ restarts, hangs }) =>
                restarts > 0 ? (
                  <Badge tone="warn">{hangs > 0 ? `${restarts} (${hangs} hung)` : restarts}</Badge>
                ) : (
                  '0'
                ),
            },
            { title: 'Started', wide: true, cell: ({ startedAt }) => <Time at={startedAt} /> },
          ]}
        />
      </Card>

      <UnknownEndpoints />
    </Page>
  )
}
