import { useAccount } from '../api/account.tsx'
import { CopyLine } from '../ui/control/copy-button.tsx'
import { Card } from '../ui/layout/card.tsx'

/** What somebody has on a hosted platform comes along by a command: it reads with a token that we need not see. */
export function ImportCard() {
  const { kind, slug } = useAccount()
  const command = [
    'aloft import vercel --from-token $VERCEL_TOKEN',
    ...(kind === 'team' ? ['--team', slug] : []),
  ].join(' ')
  return (
    <Card
      title="Import from Vercel"
      about="Brings projects, variables, domains, DNS records, webhooks and the current production files. The first command shows what would be imported, the second imports it. Running it again imports only what is missing."
    >
      <div className="space-y-2">
        <CopyLine text={command} label="Copy import preview command" />
        <CopyLine text={`${command} --yes`} label="Copy import command" />
      </div>
    </Card>
  )
}
