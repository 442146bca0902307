import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { listDomains } from '#contract/api/domain.ts'
import { useAccount } from '../api/account.tsx'
import { useReadPages } from '../api/query.ts'
import { useSearchText } from '../api/search.ts'
import { Button } from '../ui/control/button.tsx'
import { CopyLine } from '../ui/control/copy-button.tsx'
import { TextField } from '../ui/control/field.tsx'
import { ShowOlder } from '../ui/control/show-older.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { Time } from '../ui/text/time.tsx'
import { DomainState, Expiry } from './domain-state.tsx'
import { type DomainMethod, GetDomainDialog } from './get-domain-dialog.tsx'

/** The domains of the account. */
export function DomainsPage() {
  const account = useAccount()
  const pages = useReadPages('domain', listDomains, { query: { limit: 100 } }, ({ domains }) => domains)
  const [filter, setFilter] = useSearchText('q')
  const [way, setWay] = useState<DomainMethod>()
  const rows = pages.rows.filter(({ name }) => name.includes(filter.trim().toLowerCase()))
  return (
    <Page
      title="Domains"
      about="Domains of this account and their DNS records."
      actions={
        <>
          <Button icon="plus" look="primary" onClick={() => setWay('add')}>
            Add domain
          </Button>
          <Button onClick={() => setWay('buy')}>Buy domain</Button>
          <Button onClick={() => setWay('transfer')}>Transfer in</Button>
        </>
      }
    >
      {pages.rows.length === 0 ? (
        <Card>
          <Empty icon="domain" title="No domains yet">
            <p>
              Add a domain you own and use it, or any of its subdomains, for your projects. From the command
              line:
            </p>
            <div className="mt-4 text-left">
              <CopyLine text="aloft domains add example.com" />
            </div>
          </Empty>
        </Card>
      ) : (
        <Card flush>
          <div className="p-4">
            <TextField
              label="Search domains"
              hideLabel
              type="search"
              placeholder="Search domains"
              value={filter}
              onChange={setFilter}
            />
          </div>
          {rows.length === 0 ? (
            <Empty icon="search" title="No matching domains" />
          ) : (
            <Table
              label="Domains"
              rows={rows}
              rowKey={({ id }) => id}
              columns={[
                {
                  title: 'Domain',
                  cell: ({ name }) => (
                    <Link
                      to="/a/$account/domains/$name"
                      params={{ account: account.slug, name }}
                      className="font-medium break-all hover:underline"
                    >
                      {name}
                    </Link>
                  ),
                },
                { title: 'Status', cell: (domain) => <DomainState domain={domain} /> },
                {
                  title: 'Nameservers',
                  wide: true,
                  cell: ({ serviceType }) => (serviceType === 'provider.world' ? 'Aloft' : 'External'),
                },
                { title: 'Expires', wide: true, cell: (domain) => <Expiry domain={domain} /> },
                { title: 'Added', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
              ]}
            />
          )}
          <ShowOlder pages={pages} />
        </Card>
      )}
      {way !== undefined && <GetDomainDialog way={way} onClose={() => setWay(undefined)} />}
    </Page>
  )
}
