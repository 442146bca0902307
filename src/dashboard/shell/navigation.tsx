import { Link, type LinkProps } from '@tanstack/react-router'
import type { Account } from '../api/account.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'

export interface NavigationEntry {
  readonly label: string
  readonly icon: IconName
  readonly link: LinkProps
}

/** The pages of an account: the side of the screen lists them, and the command palette finds them. */
export function placesOf({
  slug,
  kind,
}: Account): readonly { title: string; places: readonly NavigationEntry[] }[] {
  const params = { account: slug }
  const team: readonly NavigationEntry[] =
    kind === 'team'
      ? [
          { label: 'Members', icon: 'people', link: { to: '/a/$account/members', params } },
          { label: 'Team settings', icon: 'gear', link: { to: '/a/$account/settings', params } },
        ]
      : []
  return [
    {
      title: 'Deploy',
      places: [
        {
          label: 'Projects',
          icon: 'grid',
          link: { to: '/a/$account', params, activeOptions: { exact: true } } as LinkProps,
        },
        { label: 'Deployments', icon: 'rocket', link: { to: '/a/$account/deployments', params } },
      ],
    },
    {
      title: 'Network',
      places: [
        { label: 'Domains', icon: 'domain', link: { to: '/a/$account/domains', params } },
        { label: 'Certificates', icon: 'lock', link: { to: '/a/$account/certificates', params } },
        { label: 'Aliases', icon: 'alias', link: { to: '/a/$account/aliases', params } },
      ],
    },
    {
      title: 'Connect',
      places: [
        { label: 'Git hosts', icon: 'alias', link: { to: '/a/$account/git', params } },
        { label: 'Secrets', icon: 'key', link: { to: '/a/$account/secrets', params } },
        { label: 'Integrations', icon: 'plug', link: { to: '/a/$account/integrations', params } },
        { label: 'Webhooks', icon: 'webhook', link: { to: '/a/$account/webhooks', params } },
        { label: 'Log drains', icon: 'drain', link: { to: '/a/$account/drains', params } },
      ],
    },
    {
      title: kind === 'team' ? 'Team' : 'Account',
      places: [
        ...team,
        { label: 'Usage', icon: 'chart', link: { to: '/a/$account/usage', params } },
        { label: 'Audit log', icon: 'shield', link: { to: '/a/$account/audit', params } },
      ],
    },
  ]
}

export const PERSON_PLACES: readonly NavigationEntry[] = [
  {
    label: 'Profile',
    icon: 'person',
    link: { to: '/account', activeOptions: { exact: true } } as LinkProps,
  },
  { label: 'Access tokens', icon: 'key', link: { to: '/account/tokens' } },
  { label: 'SSH keys', icon: 'key', link: { to: '/account/ssh-keys' } },
  { label: 'Sessions', icon: 'lock', link: { to: '/account/sessions' } },
]

export const OPERATOR_PLACES: readonly NavigationEntry[] = [
  {
    label: 'Health',
    icon: 'activity',
    link: { to: '/operator', activeOptions: { exact: true } } as LinkProps,
  },
  { label: 'Accounts and plans', icon: 'people', link: { to: '/operator/accounts' } },
  { label: 'Quotas', icon: 'chart', link: { to: '/operator/quotas' } },
  { label: 'Machines', icon: 'grid', link: { to: '/operator/machines' } },
  { label: 'Jobs', icon: 'clock', link: { to: '/operator/jobs' } },
  { label: 'Backups', icon: 'box', link: { to: '/operator/backups' } },
]

export const Places = ({ title, places }: { title: string; places: readonly NavigationEntry[] }) => (
  <div>
    <h2 className="px-3 pb-1 text-xs font-medium text-soft">{title}</h2>
    <ul>
      {places.map(({ label, icon, link }) => (
        <li key={label}>
          <Link
            {...link}
            className="flex items-center gap-2.5 rounded-lg px-3 py-1.5 text-soft hover:bg-hover hover:text-fg aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-fg"
          >
            <Icon name={icon} />
            {label}
          </Link>
        </li>
      ))}
    </ul>
  </div>
)

export const AccountNav = ({ account }: { account: Account }) =>
  placesOf(account).map((group) => <Places key={group.title} {...group} />)
