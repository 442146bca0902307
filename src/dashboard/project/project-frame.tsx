import { Link, Outlet } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useAccount } from '../api/account.tsx'
import { Badge } from '../ui/badge.tsx'
import { ButtonLink, OutLink } from '../ui/control/button.tsx'
import { PageSkeleton } from '../ui/feedback/skeleton.tsx'
import { Icon } from '../ui/icon.tsx'
import { Tabs } from '../ui/layout/tabs.tsx'
import { addressOf, frameworkName, isRolledBack, productionHost, useProject } from './project.ts'
import { RolledBackBanner } from './rolled-back-banner.tsx'
import { useIsProven } from './use-proven.ts'

/** Above every page of a project: which one it is, where it is, and its pages side by side. */
export function ProjectFrame() {
  const { slug: account } = useAccount()
  const project = useProject()
  const host = productionHost(project, useIsProven())
  const params = { account, project: project.name }

  return (
    <>
      <div className="border-b border-line bg-panel">
        <div className="mx-auto w-full max-w-6xl px-4 pt-5 sm:px-8">
          <Link to="/a/$account" params={{ account }} className="text-sm text-soft hover:text-fg">
            ← Projects
          </Link>
          <div className="mt-1 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
              <p className="min-w-0 truncate text-xl font-semibold tracking-tight">{project.name}</p>
              {project.framework !== null && <Badge>{frameworkName(project.framework)}</Badge>}
              {project.paused && <Badge tone="warn">Paused</Badge>}
              {isRolledBack(project) && <Badge tone="warn">Rolled back</Badge>}
              {host !== undefined && (
                <OutLink
                  href={addressOf(host)}
                  className="flex min-w-0 items-center gap-1.5 text-sm text-soft hover:text-fg hover:underline"
                >
                  <span className="min-w-0 truncate">{host}</span>
                  <Icon name="external" className="size-3.5" />
                </OutLink>
              )}
            </div>
            <ButtonLink
              size="small"
              icon="upload"
              to="/a/$account/new"
              params={{ account }}
              search={{ project: project.name }}
            >
              Deploy
            </ButtonLink>
          </div>
          <div className="-mb-px mt-2">
            <Tabs
              label="Project"
              tabs={[
                {
                  label: 'Overview',
                  to: '/a/$account/projects/$project',
                  params,
                  activeOptions: { exact: true, includeSearch: false },
                },
                { label: 'Deployments', to: '/a/$account/projects/$project/deployments', params },
                { label: 'Logs', to: '/a/$account/projects/$project/logs', params },
                { label: 'Analytics', to: '/a/$account/projects/$project/analytics', params },
                { label: 'Scheduled jobs', to: '/a/$account/projects/$project/crons', params },
                { label: 'Git', to: '/a/$account/projects/$project/git', params },
                { label: 'Settings', to: '/a/$account/projects/$project/settings', params },
              ]}
            />
          </div>
        </div>
      </div>
      {project.paused && (
        <p
          role="status"
          className="border-b border-line bg-warn-soft px-4 py-2.5 text-center text-sm text-warn"
        >
          This project is paused and its production domains respond with 503. Resume it in{' '}
          <Link
            to="/a/$account/projects/$project/settings/advanced"
            params={params}
            className="font-medium underline"
          >
            settings
          </Link>
          .
        </p>
      )}
      <RolledBackBanner project={project} />
      <Suspense fallback={<PageSkeleton />}>
        <Outlet />
      </Suspense>
    </>
  )
}
