import { Link } from '@tanstack/react-router'
import { Badge, StateBadge } from '../../ui/badge.tsx'
import { OutLink } from '../../ui/control/button.tsx'
import { formatCompact } from '../../ui/text/format.ts'
import { Time } from '../../ui/text/time.tsx'
import { Preview } from '../preview.tsx'
import { addressOf, isRolledBack, type Project, productionHost } from '../project.ts'
import { sourceOf } from '../source.ts'
import { Sparkline } from '../sparkline.tsx'
import { PinButton } from './pin-button.tsx'

export interface Visits {
  readonly requests: readonly number[]
  readonly total: number
  readonly errors: number
}

/** One project among many: what it looks like, where it is, how it is. */
export function ProjectCard({
  account,
  project,
  visits,
  isProven,
  isPinned,
  onPin,
}: {
  account: string
  project: Project
  visits: Visits | undefined
  isProven: (host: string) => boolean
  isPinned: boolean
  onPin: () => void
}) {
  const latest = project.latestDeployments[0]
  const host = productionHost(project, isProven)
  const shown = project.targets.production ?? latest
  const { message, branch } = sourceOf(latest?.meta ?? {})
  return (
    <article className="relative flex h-full flex-col overflow-hidden rounded-xl border border-line bg-panel transition-shadow focus-within:border-line-strong hover:shadow-md">
      <Preview
        id={shown?.readyState === 'READY' ? shown.id : undefined}
        createdAt={shown?.createdAt}
        name={project.name}
        className="border-b border-line"
      />
      <div className="flex flex-1 flex-col gap-3 p-4">
        <div className="min-w-0">
          <div className="flex items-center gap-2">
            <h2 className="min-w-0 font-semibold">
              <Link
                to="/a/$account/projects/$project"
                params={{ account, project: project.name }}
                className="block truncate leading-6 outline-none after:absolute after:inset-0 after:rounded-xl focus-visible:after:outline-2 focus-visible:after:outline-accent"
              >
                {project.name}
              </Link>
            </h2>
            {project.paused && <Badge tone="warn">Paused</Badge>}
            {isRolledBack(project) && <Badge tone="warn">Rolled back</Badge>}
            <span className="relative z-10 -my-1.5 -mr-2 ml-auto">
              <PinButton name={project.name} on={isPinned} onToggle={onPin} />
            </span>
          </div>
          <p className="text-sm text-soft">
            {host === undefined ? (
              'No production deployment'
            ) : (
              <OutLink
                href={addressOf(host)}
                className="relative z-10 block w-fit max-w-full truncate leading-6 hover:text-fg hover:underline"
              >
                {host}
              </OutLink>
            )}
          </p>
        </div>
        <p className="truncate text-sm text-soft">
          {message ?? (branch === undefined ? ' ' : `Branch ${branch}`)}
        </p>
        <div className="mt-auto flex items-end justify-between gap-4">
          <div className="flex items-center gap-2 text-sm text-soft">
            {latest === undefined ? (
              'No deployments'
            ) : (
              <>
                <StateBadge state={latest.readyState} code={latest.errorCode} />
                <Time at={latest.createdAt} />
              </>
            )}
          </div>
          <div className="flex min-w-0 items-end gap-2">
            {visits !== undefined && visits.total > 0 && (
              <>
                <span className="w-20 max-w-full">
                  <Sparkline {...visits} />
                </span>
                <span aria-hidden="true" className="text-xs text-soft">
                  {formatCompact(visits.total)}
                </span>
              </>
            )}
          </div>
        </div>
      </div>
    </article>
  )
}
