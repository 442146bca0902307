import { useNavigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { listDeployments } from '#contract/api/deployment.ts'
import { useAccount } from '../api/account.tsx'
import { useRead } from '../api/query.ts'
import { useSearchText } from '../api/search.ts'
import { ChangeCounts, ChangeMark, SettingChanges } from '../compare/change-mark.tsx'
import { FileDiff } from '../compare/file-diff.tsx'
import { MoveDialog } from '../compare/move-dialog.tsx'
import { isBack } from '../compare/promoted.ts'
import { useComparison } from '../compare/use-comparison.ts'
import { classes } from '../ui/classes.ts'
import { Button } from '../ui/control/button.tsx'
import { SelectField } from '../ui/control/field.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Skeleton } from '../ui/feedback/skeleton.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { formatTime } from '../ui/text/format.ts'
import { type Project, useProject } from './project.ts'
import { sourceOf } from './source.ts'

/** What is different between two deployments of a project: `?from=`, `?to=`, and `?file=` for the one that is open. */
export function ComparePage() {
  const { slug } = useAccount()
  const navigate = useNavigate()
  const project = useProject()
  const live = project.targets.production?.id
  const { deployments } = useRead('deployment', listDeployments, {
    query: { projectId: project.id, limit: 100 },
  })
  const newest = deployments[0]?.uid ?? ''
  const other = deployments.find(({ uid }) => uid !== newest)?.uid ?? newest
  const [from, setFrom] = useSearchText('from', live === newest ? other : (live ?? other))
  const [to, setTo] = useSearchText('to', newest)

  const label = ({ uid, created, meta }: (typeof deployments)[number]) => {
    const { message, branch } = sourceOf(meta)
    const about = message ?? branch
    return [
      formatTime(created),
      ...(uid === live ? ['live'] : []),
      ...(about ? [about.slice(0, 50)] : []),
    ].join(' · ')
  }
  const options = (chosen: string) => [
    ...deployments.map((each) => ({ value: each.uid, label: label(each) })),
    ...(deployments.some(({ uid }) => uid === chosen) ? [] : [{ value: chosen, label: chosen }]),
  ]

  return (
    <Page
      title="Compare"
      back={{
        label: 'Deployments',
        to: '/a/$account/projects/$project/deployments',
        params: { account: slug, project: project.name },
      }}
    >
      {deployments.length < 2 && (from === '' || from === to) ? (
        <Card>
          <Empty icon="copy" title="Nothing to compare yet">
            Deploy again to see what changed.
          </Empty>
        </Card>
      ) : (
        <>
          <div className="grid items-end gap-3 sm:grid-cols-[minmax(0,1fr)_auto_minmax(0,1fr)]">
            <SelectField label="Before" value={from} onChange={setFrom} options={options(from)} />
            <Button
              icon="refresh"
              onClick={() => void navigate({ to: '.', search: { from: to, to: from }, replace: true })}
            >
              Swap
            </Button>
            <SelectField label="After" value={to} onChange={setTo} options={options(to)} />
          </div>
          <Suspense fallback={<Skeleton className="h-72" />}>
            <Comparison key={`${from} ${to}`} project={project} from={from} to={to} />
          </Suspense>
        </>
      )}
    </Page>
  )
}

function Comparison({ project, from, to }: { project: Project; from: string; to: string }) {
  const { after, files, settings } = useComparison(from, to)
  const [open, setOpen] = useSearchText('file')
  const [moving, setMoving] = useState(false)
  const shown = files.find(({ path }) => path === open) ?? files[0]
  const promoted = { id: after.id, created: after.createdAt, liveAt: after.liveAt }
  const canMove = after.readyState === 'READY' && project.targets.production?.id !== to

  return (
    <>
      <Card
        title="Files"
        flush
        actions={
          canMove && (
            <Button
              size="small"
              icon={isBack(project, promoted) ? 'undo' : 'rocket'}
              onClick={() => setMoving(true)}
            >
              {isBack(project, promoted) ? 'Roll back' : 'Promote'}
            </Button>
          )
        }
      >
        <div className="px-5 pb-4">
          <ChangeCounts files={files} />
        </div>
        {shown !== undefined && (
          <div className="grid border-t border-line lg:grid-cols-[18rem_minmax(0,1fr)]">
            <nav
              aria-label="Changed files"
              className="max-h-64 overflow-y-auto border-line py-2 max-lg:border-b lg:max-h-[40rem] lg:border-r"
            >
              <ul>
                {files.map(({ path, change }) => (
                  <li key={path}>
                    <button
                      type="button"
                      aria-current={path === shown.path}
                      onClick={() => setOpen(path)}
                      className={classes(
                        'flex w-full items-center gap-2.5 px-4 py-1.5 text-left text-sm hover:bg-hover',
                        path === shown.path && 'bg-hover font-medium',
                      )}
                    >
                      <ChangeMark change={change} />
                      <span className="min-w-0 font-mono text-[0.8125rem] break-all">{path}</span>
                    </button>
                  </li>
                ))}
              </ul>
            </nav>
            <div className="min-w-0">
              <FileDiff key={shown.path} file={shown} from={from} to={to} />
            </div>
          </div>
        )}
      </Card>
      <Card title="Settings and metadata" about="Only the names of variables are compared, not their values.">
        {settings.length === 0 ? (
          <p className="text-sm text-soft">No settings changed.</p>
        ) : (
          <SettingChanges settings={settings} />
        )}
      </Card>
      {moving && <MoveDialog project={project} promoted={promoted} onClose={() => setMoving(false)} />}
    </>
  )
}
