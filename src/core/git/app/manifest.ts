import { isIP } from 'node:net'
import { withoutBrackets } from '#contract/address-in-url.ts'
import type { GitApp } from './app.ts'

/** What the app may do, and of what it is told. */
const PERMISSIONS = {
  metadata: 'read',
  contents: 'read',
  pull_requests: 'write',
  statuses: 'write',
  deployments: 'write',
} as const
const EVENTS = ['push', 'pull_request'] as const

/** GitHub takes 34 characters, and no name twice. */
const MAX_NAME = 34

const appWebhookUrl = (site: string, id: string): string => `${site}/v1/git/apps/${id}/called`

/** GitHub refuses a manifest whose webhook is at an address that the internet does not lead to. */
function canBeCalled(site: string): boolean {
  const host = new URL(site).hostname
  return (
    host.includes('.') &&
    isIP(withoutBrackets(host)) === 0 &&
    !/\.(?:localhost|local|internal|test)$/.test(host)
  )
}

/** The page of the dashboard that the host leads back to. */
const appPage = (site: string, slug: string, id: string): string => `${site}/a/${slug}/git/app/${id}`

/** From what the host makes the app: https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-from-a-manifest */
export function manifestOf({ id, slug, url }: Pick<GitApp, 'id' | 'slug' | 'url'>, site: string): object {
  // A server of one's own may well reach an address that the internet does not.
  const isCalling = canBeCalled(site) || url !== 'https://github.com'
  const page = appPage(site, slug, id)
  return {
    name: `${`Aloft ${slug}`.slice(0, MAX_NAME - 5)}-${id.slice(-4)}`,
    url: site,
    description: `Deploys repositories on ${new URL(site).host}.`,
    redirect_url: page,
    setup_url: page,
    setup_on_update: true,
    // Only whose it is can install it, so that nobody else's repositories come to this account.
    public: false,
    default_permissions: PERMISSIONS,
    ...(isCalling
      ? { default_events: EVENTS, hook_attributes: { url: appWebhookUrl(site, id), active: true } }
      : {}),
  }
}

/** Where the manifest is posted to. */
export const manifestTarget = (
  { url, organization }: Pick<GitApp, 'url' | 'organization'>,
  state: string,
): string =>
  `${url}${organization === null ? '' : `/organizations/${encodeURIComponent(organization)}`}/settings/apps/new?state=${encodeURIComponent(state)}`
