import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, useLocation, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isNotFound } from '#client/api-error.ts'
import { Button, ButtonLink } from '../ui/control/button.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Problem } from '../ui/feedback/problem.tsx'

/** Instead of a page that could not be shown. */
export function Failed({ error }: ErrorComponentProps) {
  const router = useRouter()
  const { reset } = useQueryErrorResetBoundary()
  useEffect(() => reset(), [reset])
  return (
    <div className="mx-auto w-full max-w-3xl px-4 py-8">
      <Problem error={error} retry={() => void router.invalidate()} />
      {isNotFound(error) && <WaysOn />}
    </div>
  )
}

/** Where somebody who came to nothing may have wanted to go. */
function WaysOn() {
  const router = useRouter()
  const account = /^\/a\/([^/]+)/.exec(useLocation().pathname)?.[1]
  return (
    <nav aria-label="Continue to" className="mt-4 flex flex-wrap justify-center gap-2">
      <Button icon="back" onClick={() => router.history.back()}>
        Go back
      </Button>
      <ButtonLink to="/" look="primary">
        Projects
      </ButtonLink>
      {account !== undefined && (
        <>
          <ButtonLink to="/a/$account/deployments" params={{ account }}>
            Deployments
          </ButtonLink>
          <ButtonLink to="/a/$account/domains" params={{ account }}>
            Domains
          </ButtonLink>
        </>
      )}
      <p className="w-full pt-2 text-center text-sm text-soft">
        Or press <kbd className="rounded border border-line px-1.5 py-0.5 font-mono text-xs">Ctrl K</kbd> to
        search.
      </p>
    </nav>
  )
}

export const NotFound = () => (
  <main id="main" className="mx-auto max-w-3xl px-4 py-16">
    <h1 className="sr-only">Not found</h1>
    <Empty icon="search" title="Page not found">
      The URL may be wrong, or the page was moved or deleted.
    </Empty>
    <WaysOn />
  </main>
)
