import { useState } from 'react'
import { deleteApplication, listApplications, rotateSecret } from '#contract/api/application.ts'
import { useAccount } from '../api/account.tsx'
import { useAction, useReadPages } from '../api/query.ts'
import { Button, buttonClass, IconButton } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { CopyLine } from '../ui/copy-button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Facts } from '../ui/facts.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { Page } from '../ui/page.tsx'
import { ShowOlder } from '../ui/show-older.tsx'
import { ShownOnce } from '../ui/shown-once.tsx'
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
    done: 'The application is removed, also wherever it was installed.',
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
      about="Programs of yours that others can install into their accounts, by OAuth."
      back={{ label: 'Integrations', to: '/a/$account/integrations', params: { account } }}
      actions={pages.rows.length > 0 && make}
    >
      {pages.rows.length === 0 ? (
        <Card>
          <Empty icon="plug" title="No applications yet" action={make}>
            <p className="mb-3">
              An application asks for scopes, acts in the accounts that let it in, and hears what happens
              there. The repository has a whole one in examples/integration.
            </p>
            <CopyLine text="npx aloft apps create --name Watcher --redirect-uri https://watcher.example/back --scope deployment:read" />
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
                <Menu trigger={<IconButton icon="dots" label={`More of ${application.name}`} look="plain" />}>
                  <MenuItem icon="gear" onSelect={() => setMaking(application)}>
                    Change
                  </MenuItem>
                  <MenuItem icon="key" onSelect={() => rotate.mutate(application.id)}>
                    New secret
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
                ['Client id', <code key="client">{application.clientId}</code>],
                ['Leads back to', <code key="back">{application.redirectUrl}</code>],
                ['Is told at', application.webhookUrl ?? 'Nowhere'],
                [
                  'Asks to',
                  Object.entries(application.scopes)
                    .map(([scope, how]) => scopeInWords(`${how}:${scope}`))
                    .join('; ') || 'Nothing',
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
          about="It is shown this once. One from before is worth nothing from now on."
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
      {leaving && (
        <Confirm
          title={`Remove ${leaving.name}?`}
          action="Remove the application"
          word={leaving.slug}
          busy={remove.isPending}
          onConfirm={() => remove.mutate(leaving.id)}
          onClose={() => setLeaving(undefined)}
        >
          <p>It is removed from every account that installed it. This cannot be taken back.</p>
        </Confirm>
      )}
    </Page>
  )
}
