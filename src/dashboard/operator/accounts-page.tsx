import { Link } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { listAccounts, updateAccount } from '#contract/api/operator.ts'
import { PLANS, type Plan } from '#contract/limit/limits.ts'
import { useAction, useReadPages } from '../api/query.ts'
import { useSearchText } from '../api/search.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/control/button.tsx'
import { SelectField, TextField } from '../ui/control/field.tsx'
import { ShowOlder } from '../ui/control/show-older.tsx'
import { Confirm } from '../ui/dialog/confirm.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { formatNumber } from '../ui/text/format.ts'
import { Time } from '../ui/text/time.tsx'

const PLAN_OPTIONS = PLANS.map((plan) => ({ value: plan, label: plan }))

interface Change {
  readonly id: string
  readonly plan?: Plan
  readonly softBlocked?: boolean
}

export function AccountsPage() {
  const [blocking, setBlocking] = useState<Pick<Change, 'id'> & { readonly slug: string }>()
  const [search, setSearch] = useSearchText('q')
  // The list that is there stays until the next one is, and so does the field that is typed into.
  const asked = useDeferredValue(search.trim())
  const pages = useReadPages(
    'operator',
    listAccounts,
    { query: { limit: 50, ...(asked !== '' && { search: asked }) } },
    ({ accounts }) => accounts,
  )
  const change = useAction(
    ({ id, ...body }: Change, { client }) =>
      client.call(updateAccount, { params: { idOrEmailOrSlug: id }, body }),
    { changes: ['operator'], done: ({ slug }) => `${slug} updated.` },
  )
  return (
    <Page
      title="Accounts and plans"
      about="Every account on this installation and its plan. Open one to see its usage."
    >
      <div className="max-w-sm">
        <TextField
          label="Search accounts"
          hideLabel
          type="search"
          placeholder="Name or email…"
          value={search}
          onChange={setSearch}
        />
      </div>
      <Card flush>
        {pages.rows.length === 0 ? (
          <Empty icon="people" title="No matching accounts" />
        ) : (
          <Table
            label="Accounts"
            rows={pages.rows}
            rowKey={({ id }) => id}
            columns={[
              {
                title: 'Account',
                cell: ({ id, slug, kind, email, operator, softBlocked }) => (
                  <span className="flex min-w-0 items-center gap-3">
                    <span className="max-sm:hidden">
                      <Avatar name={slug} square={kind === 'team'} />
                    </span>
                    <span className="min-w-0">
                      <span className="flex flex-wrap items-center gap-1.5 font-medium">
                        <Link to="/operator/accounts/$id" params={{ id }} className="hover:underline">
                          {slug}
                        </Link>
                        {kind === 'team' && <Badge>Team</Badge>}
                        {operator && <Badge tone="accent">Operator</Badge>}
                        {softBlocked && <Badge tone="bad">Blocked</Badge>}
                      </span>
                      {email !== undefined && <span className="block break-all text-soft">{email}</span>}
                    </span>
                  </span>
                ),
              },
              {
                title: 'Plan',
                cell: ({ id, slug, plan }) => (
                  <SelectField
                    label={`Plan of ${slug}`}
                    hideLabel
                    value={plan}
                    options={PLAN_OPTIONS}
                    disabled={change.isPending}
                    onChange={(next) => change.mutate({ id, plan: next })}
                  />
                ),
              },
              {
                title: 'Projects',
                wide: true,
                align: 'right',
                cell: ({ projects }) => formatNumber(projects),
              },
              {
                title: 'Deployments',
                wide: true,
                align: 'right',
                cell: ({ deployments }) => formatNumber(deployments),
              },
              { title: 'Joined', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
            actions={({ id, slug, softBlocked }) => (
              <Button
                size="small"
                look={softBlocked ? 'plain' : 'danger'}
                aria-label={`${softBlocked ? 'Unblock' : 'Block'} ${slug}`}
                disabled={change.isPending}
                onClick={() =>
                  softBlocked ? change.mutate({ id, softBlocked: false }) : setBlocking({ id, slug })
                }
              >
                {softBlocked ? 'Unblock' : 'Block'}
              </Button>
            )}
          />
        )}
        <ShowOlder pages={pages} />
      </Card>
      {blocking && (
        <Confirm
          title={`Block ${blocking.slug}?`}
          action="Block account"
          busy={change.isPending}
          onConfirm={() =>
            change.mutate({ id: blocking.id, softBlocked: true }, { onSettled: () => setBlocking(undefined) })
          }
          onClose={() => setBlocking(undefined)}
        >
          <p>
            All of its sites go offline, and nothing of it can be changed or deployed until you unblock it.
          </p>
        </Confirm>
      )}
    </Page>
  )
}
