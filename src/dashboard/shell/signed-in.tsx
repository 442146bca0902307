import { useSuspenseQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Accounts, accountsQuery } from '../api/account.tsx'
import { loginAddress } from '../api/session.ts'
import { PageSkeleton } from '../ui/feedback/skeleton.tsx'

/** For pages that only somebody who is signed in can see; others are led to the login and back. */
export function SignedIn({ children }: { children: (accounts: Accounts) => ReactNode }) {
  const { data } = useSuspenseQuery(accountsQuery)
  if (data !== null) return children(data)
  location.replace(loginAddress())
  return <PageSkeleton />
}
