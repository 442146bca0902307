import { Outlet } from '@tanstack/react-router'
import type { Account } from '../api/account.tsx'
import { AccountProvider } from '../api/account.tsx'
import { useChanges } from '../api/changes.ts'
import { Frame } from '../shell/frame.tsx'
import { PERSON_PLACES, Places } from '../shell/navigation.tsx'
import { SignedIn } from '../shell/signed-in.tsx'

function Listening({ account }: { account: Account }) {
  useChanges(account)
  return null
}

/** Around the pages about the person who is signed in. */
export const PersonFrame = () => (
  <SignedIn>
    {({ all: [own] }) =>
      own && (
        <AccountProvider account={own}>
          <Listening account={own} />
          <Frame current={own} navigation={<Places title="You" places={PERSON_PLACES} />}>
            <Outlet />
          </Frame>
        </AccountProvider>
      )
    }
  </SignedIn>
)
