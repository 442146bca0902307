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
    <Page title="Profile" about="Who you are on this installation.">
      <Card title="You">
        <Facts
          facts={[
            ['E-mail address', user.email],
            ['User name', user.username],
            ['Plan', <Badge key="plan">{user.plan}</Badge>],
            ['Here since', <Time key="since" at={user.createdAt} />],
            ['Id', <code key="id">{user.id}</code>],
            ...(user.operator ? [['Role', 'You operate this installation'] as const] : []),
          ]}
        />
      </Card>
      <Card
        title="On the command line"
        about="The same account, from a terminal. Signing in there sends you the same mail as here."
      >
        <div className="space-y-2">
          <CopyLine text={`npx aloft login ${user.email} --base-url ${location.origin}`} />
          <CopyLine text="npx aloft deploy --prod" />
        </div>
      </Card>
    </Page>
  )
}
