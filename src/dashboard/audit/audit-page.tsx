import { readAuditLog } from '#contract/api/audit.ts'
import { useReadPages } from '../api/query.ts'
import { useSearchText } from '../api/search.ts'
import { Badge } from '../ui/badge.tsx'
import { Card } from '../ui/card.tsx'
import { Empty } from '../ui/empty.tsx'
import { SelectField } from '../ui/field.tsx'
import { Page } from '../ui/page.tsx'
import { ShowOlder } from '../ui/show-older.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { inWords } from './in-words.ts'

const KINDS = [
  { value: '', label: 'Everything' },
  { value: 'POST', label: 'Made' },
  { value: 'PATCH', label: 'Changed' },
  { value: 'DELETE', label: 'Removed' },
] as const

const VIAS: Readonly<Record<string, string>> = {
  login: 'Command line',
  account: 'Token',
  session: 'Browser',
  integration: 'Integration',
}

export function AuditPage() {
  const [action, setAction] = useSearchText('action')
  const pages = useReadPages(
    'audit',
    readAuditLog,
    { query: { limit: 50, ...(action !== '' && { action }) } },
    ({ entries }) => entries,
  )
  return (
    <Page
      title="Audit log"
      about="Who changed what, by which means and from where. Nothing here can be edited."
      actions={
        <div className="w-44">
          <SelectField label="What happened" hideLabel value={action} onChange={setAction} options={KINDS} />
        </div>
      }
    >
      <Card flush>
        {pages.rows.length === 0 ? (
          <Empty icon="shield" title={action === '' ? 'Nothing was changed yet' : 'Nothing of this kind'}>
            Every change by the dashboard, the command line, a token or an integration is written here.
          </Empty>
        ) : (
          <Table
            label="Audit log"
            rows={pages.rows}
            rowKey={({ id }) => id}
            columns={[
              { title: 'When', cell: ({ at }) => <Time at={at} /> },
              {
                title: 'What',
                cell: ({ action, target }) => (
                  <span title={action}>
                    <span className="font-medium">{inWords(action)}</span>
                    {Object.entries(target).map(([name, value]) => (
                      <code key={name} title={name} className="block text-xs break-all text-soft">
                        {value}
                      </code>
                    ))}
                  </span>
                ),
              },
              {
                title: 'Who',
                cell: ({ user }) => (
                  <span className="break-words">{user.username ?? user.email ?? user.id}</span>
                ),
              },
              {
                title: 'By',
                wide: true,
                cell: ({ via }) => (
                  <span className="flex flex-wrap items-center gap-1.5">
                    <Badge>{VIAS[via.kind] ?? via.kind}</Badge>
                    {via.kind !== 'session' && <span className="text-soft">{via.name}</span>}
                  </span>
                ),
              },
              { title: 'From', wide: true, cell: ({ ip }) => <code className="text-xs">{ip}</code> },
            ]}
          />
        )}
      </Card>
      <ShowOlder pages={pages} />
    </Page>
  )
}
