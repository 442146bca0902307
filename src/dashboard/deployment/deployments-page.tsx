import { Link } from '@tanstack/react-router'
import { useDeferredValue } from 'react'
import { listDeployments } from '#contract/api/deployment.ts'
import { useAccount } from '../api/account.tsx'
import { useAllProjects } from '../api/lists.ts'
import { useNames } from '../api/people.ts'
import { useReadPages } from '../api/query.ts'
import { useSearchText } from '../api/search.ts'
import { SourceNote } from '../project/source-note.tsx'
import { isEnvironment, targetQuery, useEnvironments } from '../setting/environment/environments.ts'
import { Badge, StateBadge } from '../ui/badge.tsx'
import { ButtonLink } from '../ui/control/button.tsx'
import { CopyLine } from '../ui/control/copy-button.tsx'
import { SelectField } from '../ui/control/field.tsx'
import { ShowOlder } from '../ui/control/show-older.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { Time } from '../ui/text/time.tsx'
import { shortName } from './deployment.ts'
import { BranchFilter, StatusFilter, TargetFilter } from './filters.tsx'
import { targetName } from './target-name.ts'

/** Everything that was deployed in the account, whatever its project. */
export function DeploymentsPage() {
  const { slug: account } = useAccount()
  const [state, setState] = useSearchText('state')
  const [target, setTarget] = useSearchText('target')
  const [project, setProject] = useSearchText('project')
  const [branch, setBranch] = useSearchText('branch')
  // The list that is there stays until the next one is.
  const asked = useDeferredValue({ state, target, project, branch: branch.trim() })
  const isFiltered = Object.values(asked).some((value) => value !== '')
  const all = useAllProjects()?.toSorted((a, b) => a.name.localeCompare(b.name))
  const names = useNames()
  const notes = asked.branch === '' ? {} : { 'meta-gitBranch': asked.branch }
  const pages = useReadPages(
    'deployment',
    listDeployments,
    {
      query: {
        limit: 30,
        ...(asked.state !== '' && { state: asked.state }),
        ...targetQuery(asked.target),
        ...(asked.project !== '' && { projectId: asked.project }),
        ...notes,
      },
    },
    ({ deployments }) => deployments,
  )
  const ofProject = useEnvironments(project).map(({ id, slug }) => ({ value: id, label: slug }))
  const projectNames = new Map(all?.map(({ id, name }) => [id, name]))
  const projects = [
    { value: '', label: 'All projects' },
    ...(all?.map(({ id, name }) => ({ value: id, label: name })) ?? []),
    ...(project !== '' && !projectNames.has(project) ? [{ value: project, label: project }] : []),
  ]

  return (
    <Page title="Deployments" about="All deployments of this account, newest first.">
      <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-[minmax(0,1fr)_12rem_10rem_10rem]">
        <BranchFilter value={branch} onChange={setBranch} />
        <SelectField
          label="Project"
          hideLabel
          value={project}
          onChange={(next) => {
            setProject(next)
            // No other project has it.
            if (isEnvironment(target)) setTarget('')
          }}
          options={projects}
        />
        <StatusFilter value={state} onChange={setState} />
        <TargetFilter value={target} onChange={setTarget} environments={ofProject} />
      </div>
      <Card flush>
        {pages.rows.length > 0 ? (
          <Table
            label="Deployments"
            rows={pages.rows}
            rowKey={({ uid }) => uid}
            columns={[
              {
                title: 'Deployment',
                cell: ({ uid, url, projectId, name, created }) => (
                  <div className="min-w-0">
                    <Link
                      to="/a/$account/deployments/$deployment"
                      params={{ account, deployment: uid }}
                      className="block max-w-44 truncate leading-6 font-medium hover:underline sm:max-w-72"
                    >
                      {shortName(url, uid)}
                    </Link>
                    <Link
                      to="/a/$account/projects/$project"
                      params={{ account, project: projectNames.get(projectId) ?? projectId }}
                      className="block max-w-44 truncate leading-6 text-soft hover:text-fg hover:underline sm:max-w-72"
                    >
                      {projectNames.get(projectId) ?? name}
                    </Link>
                    <span className="text-soft md:hidden">
                      <Time at={created} />
                    </span>
                  </div>
                ),
              },
              {
                title: 'Status',
                cell: ({ state, errorCode, ...made }) => (
                  <div className="flex flex-wrap gap-1.5">
                    <StateBadge state={state} code={errorCode} />
                    <Badge>{targetName(made)}</Badge>
                  </div>
                ),
              },
              {
                title: 'Source',
                wide: true,
                cell: ({ meta }) => (
                  <div className="max-w-56">
                    <SourceNote meta={meta} />
                  </div>
                ),
              },
              {
                title: 'Created',
                wide: true,
                cell: ({ created, creator }) => (
                  <>
                    <Time at={created} />
                    {names(creator.uid) !== undefined && (
                      <span className="block max-w-40 truncate text-soft">by {names(creator.uid)}</span>
                    )}
                  </>
                ),
              },
            ]}
          />
        ) : isFiltered ? (
          <Empty
            icon="search"
            title="No matching deployments"
            action={
              <ButtonLink to="/a/$account/deployments" params={{ account }} search={{}}>
                Clear filters
              </ButtonLink>
            }
          />
        ) : (
          <Empty
            icon="rocket"
            title="No deployments yet"
            action={
              <ButtonLink look="primary" icon="upload" to="/a/$account/new" params={{ account }}>
                Deploy a folder
              </ButtonLink>
            }
          >
            <p className="mb-3">Upload a folder, or deploy from your terminal:</p>
            <CopyLine text="aloft" />
          </Empty>
        )}
        <ShowOlder pages={pages} />
      </Card>
    </Page>
  )
}
