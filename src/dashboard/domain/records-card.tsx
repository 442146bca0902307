import { useState } from 'react'
import { deleteDnsRecord, listDnsRecords } from '#contract/api/dns-record.ts'
import { useAction, useReadPages } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/control/button.tsx'
import { ShowOlder } from '../ui/control/show-older.tsx'
import { Confirm } from '../ui/dialog/confirm.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Table } from '../ui/layout/table.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { type DnsRecord, RecordDialog } from './record-dialog.tsx'

type OpenDialog =
  | { readonly deed: 'add' | 'import' }
  | { readonly deed: 'change' | 'remove'; readonly record: DnsRecord }

/** The records that our nameservers answer with. */
export function RecordsCard({ domain, isOurs }: { domain: string; isOurs: boolean }) {
  const pages = useReadPages(
    'dns-record',
    listDnsRecords,
    { params: { domain }, query: { limit: 100 } },
    ({ records }) => records,
  )
  const [asked, setAsked] = useState<OpenDialog>()
  const close = () => setAsked(undefined)
  const remove = useAction(
    ({ id }: DnsRecord, { client }) => client.call(deleteDnsRecord, { params: { domain, recId: id } }),
    { changes: ['dns-record', 'domain'], done: 'Record deleted.' },
  )
  return (
    <Card
      title="DNS records"
      about={
        isOurs
          ? 'Served by the Aloft nameservers.'
          : 'Used once the domain points to the Aloft nameservers. Until then, edit the records at your current DNS provider.'
      }
      actions={
        <>
          <Button size="small" icon="plus" onClick={() => setAsked({ deed: 'add' })}>
            Add record
          </Button>
          <Button size="small" icon="upload" onClick={() => setAsked({ deed: 'import' })}>
            Import zone
          </Button>
        </>
      }
      flush
    >
      {pages.rows.length === 0 ? (
        <Empty icon="domain" title="No records yet">
          Add a record, or import the zone file from your current provider before you switch nameservers.
        </Empty>
      ) : (
        <Table
          label="DNS records"
          rows={pages.rows}
          rowKey={({ id }) => id}
          columns={[
            {
              title: 'Type',
              cell: ({ type }) => <span className="font-mono text-xs font-medium">{type}</span>,
            },
            {
              title: 'Name',
              cell: ({ name }) => <span className="font-mono text-xs break-all">{name || '@'}</span>,
            },
            {
              title: 'Value',
              cell: ({ value }) => (
                <span className="line-clamp-3 font-mono text-xs break-all" title={value}>
                  {value}
                </span>
              ),
            },
          ]}
          actions={(record) =>
            record.creator === 'system' ? (
              <Badge>Automatic</Badge>
            ) : (
              <span className="flex justify-end max-sm:flex-col">
                <IconButton
                  icon="gear"
                  label={`Edit ${record.type} ${record.name || '@'}`}
                  onClick={() => setAsked({ deed: 'change', record })}
                />
                <IconButton
                  icon="trash"
                  label={`Delete ${record.type} ${record.name || '@'}`}
                  onClick={() => setAsked({ deed: 'remove', record })}
                />
              </span>
            )
          }
        />
      )}
      <ShowOlder pages={pages} />
      {asked?.deed === 'add' && <RecordDialog domain={domain} onClose={close} />}
      {asked?.deed === 'import' && <ImportDialog domain={domain} onClose={close} />}
      {asked?.deed === 'change' && <RecordDialog domain={domain} record={asked.record} onClose={close} />}
      {asked?.deed === 'remove' && (
        <Confirm
          title="Delete this record?"
          action="Delete record"
          busy={remove.isPending}
          onClose={close}
          onConfirm={() => remove.mutate(asked.record, { onSuccess: close })}
        >
          <p className="font-mono text-xs break-all">
            {asked.record.type} {asked.record.name || '@'} {asked.record.value}
          </p>
        </Confirm>
      )}
    </Card>
  )
}
