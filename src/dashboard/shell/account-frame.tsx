import { Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { type Account, AccountProvider, useParam } from '../api/account.tsx'
import { useChanges } from '../api/changes.ts'
import { NotFound } from './failed.tsx'
import { Frame } from './frame.tsx'
import { lastAccount } from './last-account.ts'
import { AccountNav } from './navigation.tsx'
import { SignedIn } from './signed-in.tsx'

function Listening({ account }: { account: Account }) {
  useChanges(account)
  useEffect(() => lastAccount.write(account.slug), [account.slug])
  return null
}

/** Around every page of an account: it decides for whom everything inside acts. Links in mails name it by its id. */
export function AccountFrame() {
  const slug = useParam('account')
  return (
    <SignedIn>
      {({ all }) => {
        const account = all.find((each) => each.slug === slug || each.id === slug)
        if (account === undefined) return <NotFound />
        return (
          <AccountProvider account={account} key={account.id}>
            <Listening account={account} />
            <Frame current={account} navigation={<AccountNav account={account} />}>
              <Outlet />
            </Frame>
          </AccountProvider>
        )
      }}
    </SignedIn>
  )
}
