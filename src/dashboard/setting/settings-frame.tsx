import { Link, type LinkProps, Outlet } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useParam } from '../api/account.tsx'
import { Skeleton } from '../ui/feedback/skeleton.tsx'
import { Page } from '../ui/layout/page.tsx'
import { showCurrent } from '../ui/layout/tabs.tsx'

const PLACES = [
  { label: 'General', to: '/a/$account/projects/$project/settings', exact: true },
  { label: 'Build', to: '/a/$account/projects/$project/settings/build' },
  { label: 'Environments', to: '/a/$account/projects/$project/settings/environments' },
  { label: 'Variables', to: '/a/$account/projects/$project/settings/variables' },
  { label: 'Domains', to: '/a/$account/projects/$project/settings/domains' },
  { label: 'Protection', to: '/a/$account/projects/$project/settings/protection' },
  { label: 'Advanced', to: '/a/$account/projects/$project/settings/advanced' },
] as const

const Waiting = () => (
  <div role="status" className="space-y-6">
    <span className="sr-only">Loading…</span>
    <Skeleton className="h-40" />
    <Skeleton className="h-56" />
  </div>
)

/** Around the settings of a project: their pages beside them, or in a row above where the screen is narrow. */
export function SettingsFrame() {
  const params = { account: useParam('account'), project: useParam('project') }
  return (
    <Page title="Settings">
      <div className="grid gap-6 lg:grid-cols-[11rem_minmax(0,1fr)] lg:gap-8">
        <nav
          ref={showCurrent}
          aria-label="Settings"
          className="-mx-4 overflow-x-auto px-4 sm:mx-0 sm:px-0 lg:sticky lg:top-6 lg:self-start"
        >
          <ul className="flex gap-1 text-sm lg:flex-col">
            {PLACES.map(({ label, to, ...place }) => (
              <li key={label}>
                <Link
                  {...({ to, params, activeOptions: { exact: 'exact' in place } } as LinkProps)}
                  className="block rounded-lg px-3 py-1.5 whitespace-nowrap text-soft hover:bg-hover hover:text-fg aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-fg"
                >
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="min-w-0 space-y-6">
          <Suspense fallback={<Waiting />}>
            <Outlet />
          </Suspense>
        </div>
      </div>
    </Page>
  )
}
