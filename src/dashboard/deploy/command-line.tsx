import { useAccount, useAccounts } from '../api/account.tsx'
import { CopyLine } from '../ui/control/copy-button.tsx'
import { Card } from '../ui/layout/card.tsx'

/** The same from a terminal. */
export function CommandLine({ project }: { project?: string | undefined }) {
  const { kind, slug } = useAccount()
  const { user } = useAccounts()
  const options = [
    ...(project === undefined ? [] : ['--name', project]),
    ...(kind === 'team' ? ['--team', slug] : []),
  ]
  return (
    <Card
      title="Deploy from the command line"
      about="Log in once, then deploy the current folder as often as you like. The aloft command comes with the package. In a clone, run npm link once, or use bin/aloft.js instead of aloft."
    >
      <div className="space-y-2">
        <CopyLine
          text={`aloft login ${user.email} --base-url ${location.origin}`}
          label="Copy login command"
        />
        <CopyLine text={['aloft --prod', ...options].join(' ')} label="Copy deploy command" />
      </div>
    </Card>
  )
}
