import { useAccounts } from '../api/account.tsx'
import { Badge } from '../ui/badge.tsx'
import { CopyLine } from '../ui/control/copy-button.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Facts } from '../ui/layout/facts.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Time } from '../ui/text/time.tsx'

export function ProfilePage() {
  const { user } = useAccounts()
  return (
    <Page title="Profile" about="Your account on this Aloft installation.">
      <Card title="Your account">
        <Facts
          facts={[
            ['Email', user.email],
            ['Username', user.username],
            ['Plan', <Badge key="plan">{user.plan}</Badge>],
            ['Joined', <Time key="since" at={user.createdAt} />],
            ['ID', <code key="id">{user.id}</code>],
            ...(user.operator ? [['Role', 'Operator of this installation'] as const] : []),
          ]}
        />
      </Card>
      <Card title="Command line" about="Use this account from a terminal.">
        <div className="space-y-2">
          <CopyLine text={`aloft login ${user.email} --base-url ${location.origin}`} />
          <CopyLine text="aloft deploy --prod" />
        </div>
      </Card>
    </Page>
  )
}
