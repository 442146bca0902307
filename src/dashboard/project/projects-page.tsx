import { useNavigate } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { readSparklines } from '#contract/api/analytics.ts'
import { listProjects } from '#contract/api/project.ts'
import { useAccount } from '../api/account.tsx'
import { useLater, useReadPages } from '../api/query.ts'
import { useSearchText } from '../api/search.ts'
import { CommandLine } from '../deploy/command-line.tsx'
import { DropZone } from '../deploy/drop-zone.tsx'
import { handedOver } from '../deploy/handed-over.ts'
import { AcceptTransfer } from '../setting/accept-transfer.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Empty } from '../ui/empty.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Page } from '../ui/page.tsx'
import { ShowOlder } from '../ui/show-older.tsx'
import type { Project } from './project.ts'
import { ProjectCard, type Visits } from './project-card.tsx'

type Visited = ReadonlyMap<string, Visits>

const ORDERS = [
  { value: 'changed', label: 'Last updated' },
  { value: 'name', label: 'Name' },
  { value: 'visits', label: 'Most requests' },
] as const
type Order = (typeof ORDERS)[number]['value']

const inOrder = (projects: readonly Project[], order: Order, visited: Visited): readonly Project[] => {
  const total = ({ id }: Project) => visited.get(id)?.total ?? 0
  if (order === 'name') return projects.toSorted((a, b) => a.name.localeCompare(b.name))
  if (order === 'visits') return projects.toSorted((a, b) => total(b) - total(a))
  return projects
}

/** Everything that was deployed, as it looks and as it does. */
export function ProjectsPage() {
  const account = useAccount()
  const [search, setSearch] = useSearchText('q')
  const [order, setOrder] = useSearchText('sort', 'changed')
  const [taking, setTaking] = useState(false)
  // The list that is there stays until the next one is.
  const asked = useDeferredValue(search.trim())
  const pages = useReadPages(
    'project',
    listProjects,
    { query: { limit: 60, ...(asked !== '' && { search: asked.toLowerCase() }) } },
    ({ projects }) => projects,
  )
  const { data: lines } = useLater('project', readSparklines, { query: { hours: 24 } })
  const visited: Visited = new Map(lines?.projects.map((line) => [line.id, line]))

  if (pages.rows.length === 0 && search === '' && asked === '') return <FirstDeployment />
  return (
    <Page
      title="Projects"
      actions={
        <>
          <Button onClick={() => setTaking(true)}>Accept a transfer</Button>
          <ButtonLink look="primary" icon="plus" to="/a/$account/new" params={{ account: account.slug }}>
            New project
          </ButtonLink>
        </>
      }
    >
      {taking && <AcceptTransfer onClose={() => setTaking(false)} />}
      <div className="flex flex-wrap gap-3">
        <div className="min-w-48 flex-1">
          <TextField
            label="Search projects"
            hideLabel
            type="search"
            placeholder="Search projects…"
            value={search}
            onChange={setSearch}
          />
        </div>
        <SelectField label="Sort by" hideLabel value={order as Order} onChange={setOrder} options={ORDERS} />
      </div>
      {pages.rows.length === 0 ? (
        <Card>
          <Empty
            icon="search"
            title="No matching projects"
            action={<Button onClick={() => setSearch('')}>Show all projects</Button>}
          />
        </Card>
      ) : (
        <ul className="grid gap-5 sm:grid-cols-2 xl:grid-cols-3">
          {inOrder(pages.rows, order as Order, visited).map((project) => (
            <li key={project.id} className="min-w-0">
              <ProjectCard account={account.slug} project={project} visits={visited.get(project.id)} />
            </li>
          ))}
        </ul>
      )}
      <ShowOlder pages={pages} />
    </Page>
  )
}

/** Where nothing is yet, the first thing is to deploy something. */
function FirstDeployment() {
  const { slug, kind, name } = useAccount()
  const navigate = useNavigate()
  return (
    <Page
      title="Projects"
      heading={kind === 'team' ? `Deploy ${name}'s first site` : 'Deploy your first site'}
      about="Drop a folder to get a live URL in less than a minute."
    >
      <DropZone
        onChosen={(read) => {
          handedOver.put(read)
          void navigate({ to: '/a/$account/new', params: { account: slug } })
        }}
      />
      <div className="grid gap-5 md:grid-cols-3">
        <Step at={1} title="Drop a folder">
          Plain HTML, a finished build, or source code: projects with a build script are built here.
        </Step>
        <Step at={2} title="Watch it build">
          Follow the build log live. Only new files are uploaded.
        </Step>
        <Step at={3} title="Open your site">
          It gets a URL right away. Add domains and environment variables whenever you like.
        </Step>
      </div>
      <CommandLine />
    </Page>
  )
}

const Step = ({ at, title, children }: { at: number; title: string; children: string }) => (
  <div className="rounded-xl border border-line bg-panel p-5">
    <h2 className="flex items-center gap-2.5 font-semibold">
      <span
        aria-hidden="true"
        className="grid size-6 place-items-center rounded-full bg-accent-soft text-sm text-accent"
      >
        {at}
      </span>
      {title}
    </h2>
    <p className="mt-2 text-sm text-soft">{children}</p>
  </div>
)
