import { Outlet } from '@tanstack/react-router'
import { AccountProvider } from '../api/account.tsx'
import { NotFound } from '../shell/failed.tsx'
import { Frame } from '../shell/frame.tsx'
import { OPERATOR_PLACES, Places } from '../shell/navigation.tsx'
import { SignedIn } from '../shell/signed-in.tsx'

/** Around the pages of whoever operates the installation. */
export const OperatorFrame = () => (
  <SignedIn>
    {({ user, all: [own] }) =>
      user.operator && own ? (
        <AccountProvider account={own}>
          <Frame current={undefined} navigation={<Places title="Operator" places={OPERATOR_PLACES} />}>
            <Outlet />
          </Frame>
        </AccountProvider>
      ) : (
        <NotFound />
      )
    }
  </SignedIn>
)
