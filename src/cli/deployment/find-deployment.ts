import type { Static } from 'typebox'
import type { Client } from '#client/client.ts'
import { siteAddress } from '#client/site-address.ts'
import { getDeployment } from '#contract/api/deployment.ts'
import type { Cli } from '../cli.ts'
import { hostOf } from '../host-of.ts'

export type Deployment = Static<typeof getDeployment.reply>

/** A deployment by its id, its host or its address. */
export const findDeployment = (api: Client, named: string): Promise<Deployment> =>
  api.call(getDeployment, { params: { id: hostOf(named) } })

/** Where it is seen; its id while it has no host. */
export const addressOf = (
  cli: Cli,
  { url, id }: { readonly url: string | null; readonly id: string },
): string => (url === null ? id : siteAddress(cli.baseUrl, url))

export const DEPLOYMENT = 'id, domain or URL of the deployment'
export const SEE = { not_found: 'List deployments with `aloft ls --all`, or choose a team with --team.' }
