import { useState } from 'react'
import { deleteApplication, listApplications, rotateSecret } from '#contract/api/application.ts'
import { useAccount } from '../api/account.tsx'
import { useAction, useReadPages } from '../api/query.ts'
import { Button, buttonClass, IconButton } from '../ui/control/button.tsx'
import { CopyLine } from '../ui/control/copy-button.tsx'
import { Menu, MenuItem } from '../ui/control/menu.tsx'
import { ShowOlder } from '../ui/control/show-older.tsx'
import { Confirm } from '../ui/dialog/confirm.tsx'
import { ShownOnce } from '../ui/dialog/shown-once.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Facts } from '../ui/layout/facts.tsx'
import { Page } from '../ui/layout/page.tsx'
import { ApplicationDialog, type ApplicationFields } from './application-dialog.tsx'
import { scopeInWords } from './scopes.ts'

export function ApplicationsPage() {
  const { slug: account, id: accountId, kind } = useAccount()
  const pages = useReadPages(
    'application',
    listApplications,
    { query: { limit: 20 } },
    ({ applications }) => applications,
  )
  const [making, setMaking] = useState<ApplicationFields | 'new'>()
  const [secret, setSecret] = useState<string>()
  const [leaving, setLeaving] = useState<ApplicationFields>()
  const rotate = useAction((id: string, { client }) => client.call(rotateSecret, { params: { id } }), {
    changes: ['application'],
    after: ({ clientSecret }) => setSecret(clientSecret),
  })
  const remove = useAction((id: string, { client }) => client.call(deleteApplication, { params: { id } }), {
    changes: ['application', 'integration'],
    done: 'Application removed from every account that installed it.',
    after: () => setLeaving(undefined),
  })
  const make = (
    <Button look="primary" icon="plus" onClick={() => setMaking('new')}>
      New application
    </Button>
  )
  const installAddress = (clientId: string) =>
    `/oauth/authorize?${new URLSearchParams({ client_id: clientId, ...(kind === 'team' && { teamId: accountId }) })}`

  return (
    <Page
      title="Applications"
      about="OAuth applications you've built that other accounts can install."
      back={{ label: 'Integrations', to: '/a/$account/integrations', params: { account } }}
      actions={pages.rows.length > 0 && make}
    >
      {pages.rows.length === 0 ? (
        <Card>
          <Empty icon="plug" title="No applications yet" action={make}>
            <p className="mb-3">
              An application requests scopes, acts in the accounts that install it, and receives their events.
              See examples/integration in the repository for a complete one.
            </p>
            <CopyLine text="aloft apps create --name Watcher --redirect-uri https://watcher.example/back --scope deployment:read" />
          </Empty>
        </Card>
      ) : (
        pages.rows.map((application) => (
          <Card
            key={application.id}
            title={application.name}
            about={application.note ?? undefined}
            actions={
              <>
                <a href={installAddress(application.clientId)} className={buttonClass()}>
                  Install
                </a>
                <Menu
                  trigger={<IconButton icon="dots" label={`Actions for ${application.name}`} look="plain" />}
                >
                  <MenuItem icon="gear" onSelect={() => setMaking(application)}>
                    Edit
                  </MenuItem>
                  <MenuItem icon="key" onSelect={() => rotate.mutate(application.id)}>
                    Rotate secret
                  </MenuItem>
                  <MenuItem icon="trash" danger onSelect={() => setLeaving(application)}>
                    Remove
                  </MenuItem>
                </Menu>
              </>
            }
          >
            <Facts
              facts={[
                ['Client ID', <code key="client">{application.clientId}</code>],
                ['Redirect URL', <code key="back">{application.redirectUrl}</code>],
                ['Webhook URL', application.webhookUrl ?? 'None'],
                [
                  'Scopes',
                  Object.entries(application.scopes)
                    .map(([scope, how]) => scopeInWords(`${how}:${scope}`))
                    .join('; ') || 'None',
                ],
              ]}
            />
          </Card>
        ))
      )}
      <ShowOlder pages={pages} />
      {making !== undefined && (
        <ApplicationDialog
          {...(making !== 'new' && { application: making })}
          onClose={() => setMaking(undefined)}
          onSecret={setSecret}
        />
      )}
      {secret !== undefined && (
        <ShownOnce
          title="Copy the client secret now"
          about="You won't be able to see it again. The previous secret no longer works."
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
      {leaving && (
        <Confirm
          title={`Remove ${leaving.name}?`}
          action="Remove application"
          word={leaving.slug}
          busy={remove.isPending}
          onConfirm={() => remove.mutate(leaving.id)}
          onClose={() => setLeaving(undefined)}
        >
          <p>It will be removed from every account that installed it. This can't be undone.</p>
        </Confirm>
      )}
    </Page>
  )
}
