import { Navigate } from '@tanstack/react-router'
import { getSource, listPushes } from '#contract/api/git.ts'
import { useAccount } from '../api/account.tsx'
import { useLater } from '../api/query.ts'
import { ButtonLink } from '../ui/control/button.tsx'
import { Spinner } from '../ui/feedback/spinner.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'

/** Between a repository that was connected and the page of its first build. */
export function FirstPush({ idOrName }: { idOrName: string }) {
  const { slug: account } = useAccount()
  const input = { params: { idOrName } }
  const { data } = useLater('push', listPushes, { ...input, query: { limit: 5 } })
  const { data: source } = useLater('push', getSource, input)
  const deployment = data?.pushes.find(({ deploymentId }) => deploymentId !== null)?.deploymentId
  if (deployment)
    return <Navigate to="/a/$account/deployments/$deployment" params={{ account, deployment }} replace />
  const reason = data?.pushes.find(({ state }) => state === 'failed' || state === 'skipped')?.reason
  const problem = reason?.message ?? source?.problem ?? undefined
  return (
    <Page
      title="New project"
      back={{ label: idOrName, to: '/a/$account/projects/$project', params: { account, project: idOrName } }}
    >
      <Card
        title={problem === undefined ? 'Reading the repository' : 'The repository was not deployed'}
        about={
          problem === undefined
            ? 'The build page opens when the first deployment starts. You can leave this page.'
            : undefined
        }
      >
        {problem === undefined ? (
          <p role="status" className="flex items-center gap-2 text-sm text-soft">
            <Spinner /> Fetching the newest commit…
          </p>
        ) : (
          <div className="space-y-4">
            <p role="alert" className="text-sm break-words text-bad">
              {problem}
            </p>
            <ButtonLink to="/a/$account/projects/$project/git" params={{ account, project: idOrName }}>
              Open the Git page
            </ButtonLink>
          </div>
        )}
      </Card>
    </Page>
  )
}
