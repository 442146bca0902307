import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ButtonLink } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Problem } from '../ui/problem.tsx'

/** Instead of a page that could not be shown. */
export function Failed({ error }: ErrorComponentProps) {
  const router = useRouter()
  const { reset } = useQueryErrorResetBoundary()
  useEffect(() => reset(), [reset])
  return (
    <div className="mx-auto w-full max-w-3xl px-4 py-8">
      <Problem error={error} retry={() => void router.invalidate()} />
    </div>
  )
}

export const NotFound = () => (
  <main id="main" className="mx-auto max-w-3xl px-4 py-16">
    <h1 className="sr-only">Not found</h1>
    <Empty icon="search" title="Page not found" action={<ButtonLink to="/">Go to projects</ButtonLink>}>
      The URL may be wrong, or the page was moved or deleted.
    </Empty>
  </main>
)
