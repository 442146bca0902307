import { Link, useNavigate } from '@tanstack/react-router'
import { deleteDomain, getDomain } from '#contract/api/domain.ts'
import { useAccount, useParam } from '../api/account.tsx'
import { useAction, useRead } from '../api/query.ts'
import { addressOf } from '../project/project.ts'
import { Badge } from '../ui/badge.tsx'
import { OutLink } from '../ui/control/button.tsx'
import { CopyLine } from '../ui/control/copy-button.tsx'
import { DeleteCard } from '../ui/dialog/delete-card.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Time } from '../ui/text/time.tsx'
import { DoctorCard } from './doctor-card.tsx'
import { type Domain, DomainState } from './domain-state.tsx'
import { RecordsCard } from './records-card.tsx'
import { RegistrationCard } from './registration-card.tsx'

function NameserversCard({ domain }: { domain: Domain }) {
  const { nameservers, intendedNameservers, serviceType } = domain
  const isOurs = serviceType === 'provider.world'
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          Nameservers {isOurs ? <Badge tone="good">Aloft</Badge> : <Badge>External</Badge>}
        </span>
      }
      about={
        isOurs
          ? 'This domain uses the Aloft nameservers. Edit its DNS records above.'
          : 'To manage DNS here, set these nameservers at your registrar. Import your current records first.'
      }
    >
      <div className="space-y-2">
        {intendedNameservers.map((server) => (
          <CopyLine key={server} text={server} />
        ))}
      </div>
      {!isOurs && nameservers.length > 0 && (
        <p className="mt-3 text-sm break-words text-soft">Currently: {nameservers.join(', ')}</p>
      )}
    </Card>
  )
}

function DeleteDomain({ domain }: { domain: Domain }) {
  const account = useAccount()
  const navigate = useNavigate()
  const remove = useAction(
    async (_: undefined, { client }) => {
      await client.call(deleteDomain, { params: { name: domain.name } })
      await navigate({ to: '/a/$account/domains', params: { account: account.slug }, replace: true })
    },
    { changes: ['domain'], done: `${domain.name} deleted.` },
  )
  return (
    <DeleteCard
      what="domain"
      name={domain.name}
      about="Deletes the domain and its DNS records from this account. Remove its aliases, certificates and project domains first. To move it to another account, delete it here and verify it there. Domains bought through Aloft stay registered."
      busy={remove.isPending}
      onDelete={() => remove.mutate(undefined)}
    >
      Its DNS records are deleted too, and the Aloft nameservers stop answering for it.
    </DeleteCard>
  )
}

/** One domain: whether it works, its records, and what depends on it. */
export function DomainPage() {
  const account = useAccount()
  const { domain } = useRead('domain', getDomain, { params: { name: useParam('name') } })
  const { aliases, certs } = domain
  const link = { account: account.slug }
  return (
    <Page
      title={domain.name}
      about={<DomainState domain={domain} />}
      back={{ label: 'Domains', to: '/a/$account/domains', params: link }}
    >
      <DoctorCard domain={domain} />
      <RecordsCard domain={domain.name} isOurs={domain.serviceType === 'provider.world'} />
      <div className="grid gap-6 lg:grid-cols-2">
        <NameserversCard domain={domain} />
        <RegistrationCard domain={domain} />
      </div>
      <Card title="Used by">
        <div className="grid gap-6 text-sm sm:grid-cols-2">
          <div>
            <h3 className="mb-2 font-medium">
              <Link
                to="/a/$account/aliases"
                params={link}
                search={{ domain: domain.name }}
                className="hover:underline"
              >
                Aliases
              </Link>
            </h3>
            {aliases.length === 0 ? (
              <p className="text-soft">
                None. Add the domain to a project to serve its production deployment.
              </p>
            ) : (
              <ul className="space-y-1">
                {aliases.map(({ uid, alias }) => (
                  <li key={uid} className="break-all">
                    <OutLink href={addressOf(alias)}>{alias}</OutLink>
                  </li>
                ))}
              </ul>
            )}
          </div>
          <div>
            <h3 className="mb-2 font-medium">
              <Link to="/a/$account/certificates" params={link} className="hover:underline">
                Certificates
              </Link>
            </h3>
            {certs.length === 0 ? (
              <p className="text-soft">None yet. Domains in use get one automatically.</p>
            ) : (
              <ul className="space-y-1">
                {certs.map(({ uid, cns, expiration }) => (
                  <li key={uid} className="break-words">
                    {cns.join(', ')} <span className="text-soft">expires</span> <Time at={expiration} />
                  </li>
                ))}
              </ul>
            )}
          </div>
        </div>
      </Card>
      <DeleteDomain domain={domain} />
    </Page>
  )
}
