import type { Static } from 'typebox'
import type { Client } from '#client/client.ts'
import { siteAddress } from '#client/site-address.ts'
import { getDeployment } from '#contract/api/deployment.ts'
import { type LinkedAccount, linkedAccount } from '../account.ts'
import type { Cli } from '../cli.ts'
import { readLink } from '../config/link-file.ts'
import { hostOf } from '../host-of.ts'

export type Deployment = Static<typeof getDeployment.reply>

/** Calls for whoever the folder is linked for, unless the call says otherwise. */
export const folderApi = (cli: Cli): Promise<LinkedAccount> =>
  linkedAccount(cli, readLink(cli.cwd, cli.baseUrl))

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
