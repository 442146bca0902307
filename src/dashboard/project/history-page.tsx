import { useDeferredValue } from 'react'
import { listDeployments } from '#contract/api/deployment.ts'
import { useAccount } from '../api/account.tsx'
import { useReadPages } from '../api/query.ts'
import { useSearchText } from '../api/search.ts'
import { BranchFilter, StatusFilter, TargetFilter } from '../deployment/filters.tsx'
import { targetQuery, useEnvironments } from '../setting/environment/environments.ts'
import { ButtonLink } from '../ui/control/button.tsx'
import { ShowOlder } from '../ui/control/show-older.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { DeploymentRows } from './deployment-rows.tsx'
import { useProject } from './project.ts'

/** Everything that was deployed to a project, and the way back to any of it. */
export function HistoryPage() {
  const { slug } = useAccount()
  const project = useProject()
  const [state, setState] = useSearchText('state')
  const [target, setTarget] = useSearchText('target')
  const [branch, setBranch] = useSearchText('branch')
  const own = useEnvironments(project.id).map(({ id, slug: label }) => ({ value: id, label }))
  // The list that is there stays until the next one is, and so does the field that is typed into.
  const asked = useDeferredValue({ state, target, branch: branch.trim() })
  const isFiltered = Object.values(asked).some((value) => value !== '')
  const notes = asked.branch === '' ? {} : { 'meta-gitBranch': asked.branch }
  const pages = useReadPages(
    'deployment',
    listDeployments,
    {
      query: {
        projectId: project.id,
        limit: 30,
        ...(asked.state !== '' && { state: asked.state }),
        ...targetQuery(asked.target),
        ...notes,
      },
    },
    ({ deployments }) => deployments,
  )

  return (
    <Page
      title="Deployments"
      actions={
        <ButtonLink
          icon="copy"
          to="/a/$account/projects/$project/compare"
          params={{ account: slug, project: project.name }}
        >
          Compare
        </ButtonLink>
      }
    >
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-[minmax(0,1fr)_auto_auto]">
        <div className="max-sm:col-span-2">
          <BranchFilter value={branch} onChange={setBranch} />
        </div>
        <StatusFilter value={state} onChange={setState} />
        <TargetFilter value={target} onChange={setTarget} environments={own} />
      </div>
      <Card flush>
        {pages.rows.length > 0 ? (
          <DeploymentRows label={`${project.name} deployments`} project={project} rows={pages.rows} />
        ) : isFiltered ? (
          <Empty
            icon="search"
            title="No matching deployments"
            action={
              <ButtonLink
                to="/a/$account/projects/$project/deployments"
                params={{ account: slug, project: project.name }}
                search={{}}
              >
                Clear filters
              </ButtonLink>
            }
          />
        ) : (
          <Empty
            icon="rocket"
            title="No deployments yet"
            action={
              <ButtonLink
                look="primary"
                to="/a/$account/new"
                params={{ account: slug }}
                search={{ project: project.name }}
              >
                Deploy
              </ButtonLink>
            }
          >
            Upload a folder, or run <code>aloft</code> in it.
          </Empty>
        )}
        <ShowOlder pages={pages} />
      </Card>
    </Page>
  )
}
