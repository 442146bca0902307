import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { DeployError } from '#client/deploy/deploy-error.ts'
import { getProject } from '#contract/api/project.ts'
import { useAccount } from '../api/account.tsx'
import { explain } from '../api/explain.ts'
import { useRead } from '../api/query.ts'
import { useSearchText } from '../api/search.ts'
import { CloneForm } from '../deploy/clone-form.tsx'
import { CommandLine } from '../deploy/command-line.tsx'
import { type DeployButton, readDeployButton } from '../deploy/deploy-button.ts'
import { DropZone } from '../deploy/drop-zone.tsx'
import { FirstPush } from '../deploy/first-push.tsx'
import { handedOver } from '../deploy/handed-over.ts'
import { ImportCard } from '../deploy/import-card.tsx'
import { RepositoryCard } from '../deploy/repository-card.tsx'
import { Review } from '../deploy/review.tsx'
import type { Selection } from '../deploy/selection.ts'
import { Watch } from '../deploy/watch.tsx'
import { Icon } from '../ui/icon.tsx'
import { Page } from '../ui/layout/page.tsx'

type Target = { readonly id: string; readonly name: string }

/**
 * Deploys from the browser: into a new project, or with `?project=` into one that is there. With `?repository-url=`, as
 * deploy buttons have it, or `?connection=` and `?repository=` from a repository; `?first=` follows its first deployment.
 */
export function NewPage() {
  const [project] = useSearchText('project')
  const button = readDeployButton(useSearch({ strict: false }))
  const [first] = useSearchText('first')
  if (first !== '') return <FirstPush key={first} idOrName={first} />
  if (button.url !== '' || button.chosen) return <Cloning button={button} />
  return project === '' ? <Deploying /> : <Into key={project} idOrName={project} />
}

function Cloning({ button }: { button: DeployButton }) {
  const { slug } = useAccount()
  const navigate = useNavigate()
  return (
    <Page title="New project" back={{ label: 'Projects', to: '/a/$account', params: { account: slug } }}>
      <CloneForm
        key={button.chosen?.repository ?? button.url}
        button={button}
        onOther={() => void navigate({ to: '.', search: {} })}
      />
    </Page>
  )
}

const Into = ({ idOrName }: { idOrName: string }) => (
  <Deploying into={useRead('project', getProject, { params: { idOrName } })} />
)

function Deploying({ into }: { into?: Target }) {
  const { slug } = useAccount()
  const [watched, watch] = useSearchText('deployment')
  const navigate = useNavigate()
  const review = (search: Readonly<Record<string, string>>) => void navigate({ to: '.', search })
  const [selection, setSelection] = useState<Selection>()
  const [reading, setReading] = useState(false)
  const [problem, setProblem] = useState<string>()

  const choose = useCallback(async (read: () => Promise<Selection>) => {
    setReading(true)
    setProblem(undefined)
    try {
      setSelection(await read())
    } catch (error) {
      setProblem(error instanceof DeployError ? `${error.message} ${error.hint}` : explain(error))
    } finally {
      setReading(false)
    }
  }, [])
  // What was dropped on the page before.
  useEffect(() => {
    const read = handedOver.take()
    if (read !== undefined) void choose(read)
  }, [choose])

  return (
    <Page
      title={into === undefined ? 'New project' : `Deploy ${into.name}`}
      back={
        into === undefined
          ? { label: 'Projects', to: '/a/$account', params: { account: slug } }
          : {
              label: into.name,
              to: '/a/$account/projects/$project',
              params: { account: slug, project: into.name },
            }
      }
    >
      {watched !== '' ? (
        <Watch
          id={watched}
          onAgain={() => {
            setSelection(undefined)
            watch('')
          }}
        />
      ) : selection !== undefined ? (
        <Review
          selection={selection}
          project={into}
          onOther={() => setSelection(undefined)}
          onCreated={watch}
        />
      ) : (
        <>
          <DropZone busy={reading} onChosen={(read) => void choose(read)} />
          {problem !== undefined && (
            <p role="alert" className="flex items-start gap-2.5 rounded-lg bg-bad-soft p-3 text-sm text-bad">
              <Icon name="warning" className="mt-0.5 size-4" />
              <span className="min-w-0 break-words">{problem}</span>
            </p>
          )}
          {into === undefined && (
            <RepositoryCard
              onAddress={(url) => review({ 'repository-url': url })}
              onChosen={({ connectionId, repository }) => review({ connection: connectionId, repository })}
            />
          )}
          <CommandLine project={into?.name} />
          {into === undefined && <ImportCard />}
        </>
      )}
    </Page>
  )
}
