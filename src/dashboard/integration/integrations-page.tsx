import { Link } from '@tanstack/react-router'
import { listConfigurations } from '#contract/api/installation.ts'
import { count } from '#contract/words/wording.ts'
import { useAccount } from '../api/account.tsx'
import { useRead } from '../api/query.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Badge } from '../ui/badge.tsx'
import { ButtonLink } from '../ui/control/button.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { Time } from '../ui/text/time.tsx'
import { isWaiting } from './scopes.ts'

export function IntegrationsPage() {
  const { slug: account } = useAccount()
  const installed = useRead('integration', listConfigurations)
  return (
    <Page
      title="Integrations"
      about="Third-party applications with access to this account."
      actions={
        <ButtonLink to="/a/$account/applications" params={{ account }}>
          Your applications
        </ButtonLink>
      }
    >
      <Card flush>
        {installed.length === 0 ? (
          <Empty
            icon="plug"
            title="No integrations installed"
            action={
              <ButtonLink to="/a/$account/applications" params={{ account }}>
                Build your own
              </ButtonLink>
            }
          >
            Install an integration from its own website. It sends you here to review the access it asks for
            before you approve it.
          </Empty>
        ) : (
          <Table
            label="Installed integrations"
            rows={installed}
            rowKey={({ id }) => id}
            columns={[
              {
                title: 'Integration',
                cell: ({ id, slug }) => (
                  <Link
                    to="/a/$account/integrations/$id"
                    params={{ account, id }}
                    className="flex items-center gap-3 font-medium hover:underline"
                  >
                    <Avatar name={slug} square />
                    {slug}
                  </Link>
                ),
              },
              {
                title: 'Projects',
                wide: true,
                cell: ({ projectSelection, projects }) =>
                  projectSelection === 'all' ? 'All' : `${projects.length} selected`,
              },
              {
                title: 'Access',
                wide: true,
                cell: ({ scopes }) => count(scopes.length, 'scope'),
              },
              {
                title: 'Status',
                cell: (it) =>
                  it.disabledAt !== undefined ? (
                    <Badge tone="bad">Disabled</Badge>
                  ) : isWaiting(it) ? (
                    <Badge tone="warn">Needs approval</Badge>
                  ) : (
                    <Badge tone="good">Enabled</Badge>
                  ),
              },
              { title: 'Installed', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        )}
      </Card>
    </Page>
  )
}
