import { Link, type LinkProps } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'

/** The frame of every page: its title in the tab and above, what leads back, what can be done. */
export function Page({
  title,
  heading,
  about,
  actions,
  back,
  children,
}: {
  /** For the browser's tab, and the heading unless that is given apart. */
  title: string
  heading?: ReactNode
  about?: ReactNode
  actions?: ReactNode
  back?: { readonly label: string } & LinkProps
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Aloft`
  }, [title])
  return (
    <div className="mx-auto w-full max-w-6xl px-4 py-6 sm:px-8 sm:py-8">
      {back !== undefined && (
        <Link {...back} className="mb-2 inline-flex items-center gap-1 text-sm text-soft hover:text-fg">
          ← {back.label}
        </Link>
      )}
      <header className="mb-6 flex flex-wrap items-start justify-between gap-4">
        <div className="min-w-0">
          <h1 className="text-2xl font-semibold tracking-tight break-words">{heading ?? title}</h1>
          {about !== undefined && <div className="mt-1 text-soft">{about}</div>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      <div className="space-y-6">{children}</div>
    </div>
  )
}
