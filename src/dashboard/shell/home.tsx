import { Navigate } from '@tanstack/react-router'
import { lastAccount } from './last-account.ts'
import { SignedIn } from './signed-in.tsx'

/** `/` leads to the account that was open last. */
export const Home = () => (
  <SignedIn>
    {({ all }) => {
      const account = all.find(({ slug }) => slug === lastAccount.read()) ?? all[0]
      return account && <Navigate to="/a/$account" params={{ account: account.slug }} replace />
    }}
  </SignedIn>
)
