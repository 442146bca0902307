import type { ReactNode } from 'react'
import { classes } from '../classes.ts'

/** A panel, with a heading and something to do beside it. */
export const Card = ({
  title,
  about,
  actions,
  footer,
  flush = false,
  className,
  children,
}: {
  title?: ReactNode
  about?: ReactNode
  actions?: ReactNode
  /** A line under the content, for hints and the form's button. */
  footer?: ReactNode
  /** Without space around the content, for tables. */
  flush?: boolean
  className?: string
  children?: ReactNode
}) => (
  <section className={classes('rounded-xl border border-line bg-panel', className)}>
    {(title !== undefined || actions !== undefined) && (
      <header className="flex flex-wrap items-start justify-between gap-3 px-5 pt-4 pb-3">
        <div className="min-w-0">
          {title !== undefined && <h2 className="font-semibold">{title}</h2>}
          {about !== undefined && <p className="mt-0.5 max-w-prose text-sm text-soft">{about}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
    )}
    {children !== undefined && (
      <div
        className={flush ? 'relative overflow-x-auto' : classes('px-5 pb-5', title === undefined && 'pt-5')}
      >
        {children}
      </div>
    )}
    {footer !== undefined && (
      <footer className="flex flex-wrap items-center justify-between gap-3 rounded-b-xl border-t border-line bg-bg/60 px-5 py-3 text-sm text-soft">
        {footer}
      </footer>
    )}
  </section>
)
