import { useQueryClient } from '@tanstack/react-query'
import { inspectDomain, verifyDomain } from '#contract/api/domain.ts'
import { useAccount } from '../api/account.tsx'
import { explain } from '../api/explain.ts'
import { refresh, useAction, useLater } from '../api/query.ts'
import { Button } from '../ui/control/button.tsx'
import { Skeleton } from '../ui/feedback/skeleton.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Elapsed } from '../ui/text/elapsed.tsx'
import { type Check, Checks, NextStep, RecordsToMake, type WantedRecord } from './doctor.tsx'
import type { Domain } from './domain-state.tsx'

const isWrong = ({ status }: Check): boolean => status === 'missing' || status === 'wrong'

/** What is to be made at the present provider: the proof, and once that is there what leads visitors here. */
function recordsOf(
  { name, verified, serviceType, verificationRecord }: Domain,
  checks: readonly Check[],
): readonly WantedRecord[] {
  if (!verified) return [{ type: 'TXT', host: `_platform.${name}`, value: verificationRecord }]
  if (serviceType === 'provider.world') return []
  return checks.filter(isWrong).flatMap(({ id, expected }) => {
    if (id === 'caa') return expected.map((value) => ({ type: 'CAA', host: name, value }))
    if (id !== 'address' && id !== 'www') return []
    return expected.map((each) => {
      const [type = '', ...value] = each.split(' ')
      return { type, host: id === 'www' ? `www.${name}` : name, value: value.join(' ') }
    })
  })
}

/**
 * What is left to do: nothing once every check that matters went well; only to wait while the nameservers of a domain bought
 * here spread.
 */
function stepOf({ verified, serviceType, boughtAt }: Domain, checks: readonly Check[]) {
  if (!verified) return 'act'
  const isOurs = serviceType === 'provider.world'
  const wrong = checks.filter((check) => isWrong(check) && (isOurs || check.id !== 'nameservers'))
  if (wrong.length === 0) return checks.some(({ status }) => status === 'unknown') ? 'wait' : 'done'
  return boughtAt !== null && wrong[0]?.id === 'nameservers' ? 'wait' : 'act'
}

/** What DNS says of a domain, and the next thing to do about it. */
export function DoctorCard({ domain }: { domain: Domain }) {
  const { name, verified } = domain
  const account = useAccount()
  const queries = useQueryClient()
  const doctor = useLater('domain', inspectDomain, { params: { name } })
  const verify = useAction((_: undefined, { client }) => client.call(verifyDomain, { params: { name } }), {
    changes: ['domain', 'dns-record', 'project-domain'],
    done: `${name} is verified.`,
    quiet: true,
  })
  const check = () => (verified ? void refresh(queries, account.id, ['domain']) : verify.mutate(undefined))
  const found = doctor.data
  const step = found && stepOf(domain, found.checks)
  return (
    <Card
      title={verified ? 'Status' : 'Verify ownership'}
      actions={
        <Button
          size="small"
          icon="refresh"
          look={verified ? 'plain' : 'primary'}
          busy={verified ? doctor.isFetching : verify.isPending}
          onClick={check}
        >
          {verified ? 'Check again' : 'Verify now'}
        </Button>
      }
    >
      {found === undefined ? (
        doctor.error ? (
          <p className="text-sm text-bad">{explain(doctor.error)}</p>
        ) : (
          <Skeleton className="h-20" />
        )
      ) : (
        <div className="space-y-4">
          <NextStep is={step ?? 'act'}>{found.nextStep}</NextStep>
          {step === 'act' && <RecordsToMake records={recordsOf(domain, found.checks)} />}
          {!verified && (
            <p className="text-sm text-soft">
              {verify.isPending && (
                <span role="status" className="block text-fg">
                  Looking up the DNS records of {name}…{' '}
                  <span aria-hidden className="text-soft">
                    <Elapsed since={verify.submittedAt} />
                  </span>
                </span>
              )}
              Or use the Aloft nameservers, listed below. Aloft also checks automatically: every five minutes
              on the first day, then hourly for a week.
            </p>
          )}
          {verify.error && (
            <p role="alert" className="text-sm text-bad">
              {explain(verify.error)} DNS changes can take a while to propagate.
            </p>
          )}
          <Checks checks={found.checks} />
        </div>
      )}
    </Card>
  )
}
