import { useState } from 'react'
import { deleteCertificate, issueCertificate, listCertificates } from '#contract/api/certificate.ts'
import type { ReplyOf } from '#contract/endpoint.ts'
import { DAY } from '#contract/time.ts'
import { useAction, useReadPages } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/control/button.tsx'
import { CopyLine } from '../ui/control/copy-button.tsx'
import { ShowOlder } from '../ui/control/show-older.tsx'
import { Confirm } from '../ui/dialog/confirm.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { Elapsed } from '../ui/text/elapsed.tsx'
import { Time } from '../ui/text/time.tsx'
import { IssueDialog, UploadDialog } from './certificate-dialogs.tsx'

type Certificate = ReplyOf<(typeof listCertificates)['reply']>['certs'][number]

const SOON_MS = 14 * DAY

function Expiry({ expiration }: Pick<Certificate, 'expiration'>) {
  const left = Date.parse(expiration) - Date.now()
  if (left >= SOON_MS) return <Time at={expiration} />
  return (
    <Badge tone={left < 0 ? 'bad' : 'warn'}>
      {left < 0 ? 'Expired ' : 'Expires '}
      <Time at={expiration} />
    </Badge>
  )
}

/** The certificates of the account, and until when they are good. */
export function CertificatesPage() {
  const pages = useReadPages('certificate', listCertificates, { query: { limit: 100 } }, ({ certs }) => certs)
  const [asked, setAsked] = useState<{ deed: 'issue' | 'upload' } | { deed: 'delete'; cert: Certificate }>()
  const close = () => setAsked(undefined)
  const renew = useAction(
    ({ cns }: Certificate, { client }) =>
      client.call(issueCertificate, { body: { domains: cns, renew: true } }),
    { changes: ['certificate', 'domain'], done: 'Certificate renewed.' },
  )
  const remove = useAction(
    ({ uid }: Certificate, { client }) => client.call(deleteCertificate, { params: { id: uid } }),
    { changes: ['certificate', 'domain'], done: 'Certificate deleted.' },
  )
  return (
    <Page
      title="Certificates"
      about="Domains in use get a certificate automatically, and it's renewed before it expires."
      actions={
        <>
          <Button icon="plus" look="primary" onClick={() => setAsked({ deed: 'issue' })}>
            Issue certificate
          </Button>
          <Button icon="upload" onClick={() => setAsked({ deed: 'upload' })}>
            Upload certificate
          </Button>
        </>
      }
    >
      <Card flush>
        {renew.isPending && (
          <p role="status" className="border-b border-line px-5 py-3 text-sm break-words">
            Renewing the certificate for {renew.variables.cns.join(', ')}…{' '}
            <span aria-hidden className="text-soft">
              <Elapsed since={renew.submittedAt} />
            </span>
          </p>
        )}
        {pages.rows.length === 0 ? (
          <Empty icon="lock" title="No certificates yet">
            <p>
              When you add a domain to a project, its certificate is issued automatically. To have one before
              the first visitor arrives:
            </p>
            <div className="mt-4 text-left">
              <CopyLine text="aloft certs issue example.com www.example.com" />
            </div>
          </Empty>
        ) : (
          <Table
            label="Certificates"
            rows={pages.rows}
            rowKey={({ uid }) => uid}
            columns={[
              {
                title: 'Domains',
                cell: ({ cns }) => (
                  <ul>
                    {cns.map((name) => (
                      <li key={name} className="break-all">
                        {name}
                      </li>
                    ))}
                  </ul>
                ),
              },
              { title: 'Expires', cell: ({ expiration }) => <Expiry expiration={expiration} /> },
              {
                title: 'Renewal',
                wide: true,
                cell: ({ autoRenew }) =>
                  autoRenew ? <Badge tone="good">Automatic</Badge> : <Badge>Manual</Badge>,
              },
              { title: 'Created', wide: true, cell: ({ created }) => <Time at={created} /> },
            ]}
            actions={(cert) => (
              <span className="flex justify-end max-sm:flex-col">
                {cert.autoRenew && (
                  <IconButton
                    icon="refresh"
                    label={`Renew the certificate for ${cert.cns[0]}`}
                    disabled={renew.isPending}
                    onClick={() => renew.mutate(cert)}
                  />
                )}
                <IconButton
                  icon="trash"
                  label={`Delete the certificate for ${cert.cns[0]}`}
                  onClick={() => setAsked({ deed: 'delete', cert })}
                />
              </span>
            )}
          />
        )}
        <ShowOlder pages={pages} />
      </Card>
      {asked?.deed === 'issue' && <IssueDialog onClose={close} />}
      {asked?.deed === 'upload' && <UploadDialog onClose={close} />}
      {asked?.deed === 'delete' && (
        <Confirm
          title="Delete this certificate?"
          action="Delete certificate"
          busy={remove.isPending}
          onClose={close}
          onConfirm={() => remove.mutate(asked.cert, { onSuccess: close })}
        >
          <p className="break-words">
            Covers {asked.cert.cns.join(', ')}. Domains in use will get an automatic certificate instead.
          </p>
        </Confirm>
      )}
    </Page>
  )
}
