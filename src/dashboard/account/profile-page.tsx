import { useAccounts } from '../api/account.tsx'
import { Badge } from '../ui/badge.tsx'
import { Card } from '../ui/card.tsx'
import { CopyLine } from '../ui/copy-button.tsx'
import { Facts } from '../ui/facts.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'

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
