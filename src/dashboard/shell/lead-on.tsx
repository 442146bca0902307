import { useSuspenseQuery } from '@tanstack/react-query'
import { Navigate, useSearch } from '@tanstack/react-router'
import { isNotFound } from '#client/api-error.ts'
import { getDeployment } from '#contract/api/deployment.ts'
import { getProject } from '#contract/api/project.ts'
import { type Account, type Accounts, useParam } from '../api/account.tsx'
import { isSignedOut } from '../api/session.ts'
import { NotFound } from './failed.tsx'
import { lastAccount } from './last-account.ts'
import { SignedIn } from './signed-in.tsx'

/** The first of the accounts in which something is found. */
async function firstWith(all: readonly Account[], find: (account: Account) => Promise<unknown>) {
  for (const account of all)
    try {
      await find(account)
      return account
    } catch (error) {
      if (!isNotFound(error) && !isSignedOut(error)) throw error
    }
  return null
}

function Lead({ accounts, kind, id }: { accounts: Accounts; kind: 'deployment' | 'project'; id: string }) {
  const { data } = useSuspenseQuery({
    queryKey: ['lead', kind, id],
    queryFn: () =>
      firstWith(accounts.all, ({ client }) =>
        kind === 'deployment'
          ? client.call(getDeployment, { params: { id } })
          : client.call(getProject, { params: { idOrName: id } }),
      ),
  })
  if (data === null) return <NotFound />
  return kind === 'deployment' ? (
    <Navigate
      to="/a/$account/deployments/$deployment"
      params={{ account: data.slug, deployment: id }}
      hash={location.hash.slice(1)}
      replace
    />
  ) : (
    <Navigate to="/a/$account/projects/$project" params={{ account: data.slug, project: id }} replace />
  )
}

export const LeadToDeployment = () => {
  const id = useParam('id')
  return <SignedIn>{(accounts) => <Lead accounts={accounts} kind="deployment" id={id} />}</SignedIn>
}

export const LeadToProject = () => {
  const id = useParam('id')
  return <SignedIn>{(accounts) => <Lead accounts={accounts} kind="project" id={id} />}</SignedIn>
}

/** Deploy buttons lead here, whoever presses them. */
export const LeadToNew = () => {
  const search = useSearch({ strict: false })
  return (
    <SignedIn>
      {({ all }) => {
        const account = all.find(({ slug }) => slug === lastAccount.read()) ?? all[0]
        return (
          account && (
            <Navigate to="/a/$account/new" params={{ account: account.slug }} search={search} replace />
          )
        )
      }}
    </SignedIn>
  )
}
