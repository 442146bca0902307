import { classes } from '../classes.ts'

/** Stands where something will be, of about its size, so that nothing jumps. */
export const Skeleton = ({ className }: { className?: string }) => (
  <div aria-hidden="true" className={classes('animate-pulse rounded-lg bg-hover', className)} />
)

/** While a page is on its way. */
export const PageSkeleton = () => (
  <div role="status" className="mx-auto w-full max-w-6xl px-4 py-6 sm:px-8 sm:py-8">
    <span className="sr-only">Loading…</span>
    <Skeleton className="mb-6 h-8 w-56" />
    <div className="space-y-4">
      <Skeleton className="h-40" />
      <Skeleton className="h-64" />
    </div>
  </div>
)
