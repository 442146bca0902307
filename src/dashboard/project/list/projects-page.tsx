import { useQueries } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useDeferredValue, useEffect, useState } from 'react'
import { readSparklines } from '#contract/api/analytics.ts'
import { listDeployments } from '#contract/api/deployment.ts'
import { getProject, listProjects } from '#contract/api/project.ts'
import { useAccount } from '../../api/account.tsx'
import { read, useLater, useReadPages } from '../../api/query.ts'
import { useSearchText } from '../../api/search.ts'
import { CommandLine } from '../../deploy/command-line.tsx'
import { DropZone } from '../../deploy/drop-zone.tsx'
import { handedOver } from '../../deploy/handed-over.ts'
import { AcceptTransfer } from '../../setting/advanced/accept-transfer.tsx'
import { useRemembered } from '../../shell/remembered.ts'
import { Button, ButtonLink, IconButton } from '../../ui/control/button.tsx'
import { SelectField, TextField } from '../../ui/control/field.tsx'
import { ShowOlder } from '../../ui/control/show-older.tsx'
import { Empty } from '../../ui/feedback/empty.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { formatNumber } from '../../ui/text/format.ts'
import type { Project } from '../project.ts'
import { useIsProven } from '../use-proven.ts'
import { arrange, ORDERS, STATUS_FILTERS, statusOf } from './arrange.ts'
import { usePins } from './pins.ts'
import { ProjectCard, type Visits } from './project-card.tsx'
import { ProjectList } from './project-list.tsx'

type Visited = ReadonlyMap<string, Visits>

/** A thousand cards make a page slow to type in; those that are looked for are found by name. */
const DRAWN = 120
/** So many at once, and no more than these without being asked. */
const [PAGE, MOST] = [60, 2000]

/** Projects that should be shown although they are not among those that were read yet. */
function useMissing(ids: readonly string[], enabled: boolean): readonly Project[] {
  const account = useAccount()
  return useQueries({
    queries: (enabled ? ids : []).map((idOrName) =>
      read(account, 'project', getProject, { params: { idOrName } }),
    ),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  })
}

/** More of these, and the page would ask too much before it shows anything. */
const MOST_FAILING = 20

/** Projects with a failed deployment: the server pages by the last change, and what fails should not wait for its page. */
function useFailing(enabled: boolean): readonly string[] {
  const { data } = useLater(
    'deployment',
    listDeployments,
    { query: { state: 'ERROR', limit: 100 } },
    { enabled },
  )
  const ids = (enabled ? (data?.deployments ?? []) : []).map(({ projectId }) => projectId)
  return [...new Set(ids)].slice(0, MOST_FAILING)
}

/** Everything that was deployed, as it looks and as it does. */
export function ProjectsPage() {
  const account = useAccount()
  const [search, setSearch] = useSearchText('q')
  const [order, setOrder] = useSearchText('sort', 'failing')
  const [status, setStatus] = useSearchText('status')
  const [view, setView] = useRemembered('aloft-projects-view')
  const { pinned, toggle } = usePins()
  const isProven = useIsProven()
  const [taking, setTaking] = useState(false)
  const [drawn, setDrawn] = useState(DRAWN)
  // The list that is there stays until the next one is.
  const asked = useDeferredValue(search.trim())
  const pages = useReadPages(
    'project',
    listProjects,
    { query: { limit: PAGE, ...(asked !== '' && { search: asked.toLowerCase() }) } },
    ({ projects }) => projects,
  )
  const { data: lines } = useLater('project', readSparklines, { query: { hours: 24 } })
  const visited: Visited = new Map(lines?.projects.map((line) => [line.id, line]))
  const isPlain = asked === '' && status === ''
  const failing = useFailing(isPlain && order === 'failing' && pages.more)
  const away = [...new Set([...pinned, ...failing])].filter(
    (id) => !pages.rows.some((project) => project.id === id),
  )
  const missing = useMissing(away, asked === '').filter(
    (project) => pinned.includes(project.id) || statusOf(project) === 'failed',
  )
  // The server pages by the last change: whoever asks for another order, or for some alone, means all of them.
  const wantsAll = (status !== '' || order === 'name' || order === 'requests') && pages.rows.length < MOST
  const { more, busy, showOlder } = pages
  useEffect(() => {
    if (wantsAll && more && !busy) showOlder()
  }, [wantsAll, more, busy, showOlder])

  if (pages.rows.length === 0 && search === '' && asked === '') return <FirstDeployment />
  const shown = arrange([...missing, ...pages.rows], {
    order: ORDERS.find(({ value }) => value === order)?.value ?? 'failing',
    status,
    pinned,
    requests: (id) => visited.get(id)?.total ?? 0,
  })
  const visible = shown.slice(0, drawn)
  const isList = view === 'list'
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
            data-search
          />
        </div>
        <SelectField label="Status" hideLabel value={status} onChange={setStatus} options={STATUS_FILTERS} />
        <SelectField label="Sort by" hideLabel value={order} onChange={setOrder} options={ORDERS} />
        <fieldset className="flex gap-1">
          <legend className="sr-only">View</legend>
          <IconButton
            icon="grid"
            label="Cards"
            aria-pressed={!isList}
            onClick={() => setView('')}
            className="aria-pressed:bg-hover aria-pressed:text-fg"
          />
          <IconButton
            icon="list"
            label="List"
            aria-pressed={isList}
            onClick={() => setView('list')}
            className="aria-pressed:bg-hover aria-pressed:text-fg"
          />
        </fieldset>
      </div>
      {wantsAll && more && (
        <p role="status" className="text-sm text-soft">
          Loading all projects… {formatNumber(pages.rows.length)} so far
        </p>
      )}
      {shown.length === 0 ? (
        <Card>
          <Empty
            icon="search"
            title="No matching projects"
            action={
              <Button
                onClick={() => {
                  setSearch('')
                  setStatus('')
                }}
              >
                Show all projects
              </Button>
            }
          />
        </Card>
      ) : isList ? (
        <ProjectList
          account={account.slug}
          projects={visible}
          visited={visited}
          isProven={isProven}
          pinned={pinned}
          onPin={toggle}
        />
      ) : (
        <ul className="grid gap-5 sm:grid-cols-2 xl:grid-cols-3">
          {visible.map((project) => (
            <li key={project.id} className="min-w-0">
              <ProjectCard
                account={account.slug}
                project={project}
                visits={visited.get(project.id)}
                isProven={isProven}
                isPinned={pinned.includes(project.id)}
                onPin={() => toggle(project.id)}
              />
            </li>
          ))}
        </ul>
      )}
      <ShowOlder
        pages={{
          more: visible.length < shown.length || pages.more,
          busy: pages.busy,
          showOlder() {
            setDrawn(drawn + DRAWN)
            if (shown.length < drawn + DRAWN && pages.more) showOlder()
          },
        }}
      />
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
