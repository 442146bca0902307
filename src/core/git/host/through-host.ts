import { AloftError, invalidRequest, noSuch } from '#contract/errors.ts'
import { MINUTE } from '#contract/time.ts'
import type { Context } from '../../access/context.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ConnectionStore, GitConnection } from './connection.ts'
import { watched } from './connections.ts'
import type { Credentials } from './credentials.ts'
import { type HostAccounts, isRepositoryName } from './host-accounts.ts'

export interface ThroughHostParts {
  readonly connections: ConnectionStore
  readonly accounts: Pick<HostAccounts, 'repository'>
  readonly credentials: Pick<Credentials, 'connection' | 'look'>
  readonly clock: Clock
}

/** A repository as somebody names it: by its address, or by its name at a connected host. */
export interface NamedRepository {
  readonly url?: string | undefined
  readonly token?: string | undefined
  readonly connectionId?: string | undefined
  readonly repository?: string | undefined
}

/** The repository that is meant by its name at a connected host, once the host has shown it. */
export async function throughHost(
  { connections, accounts, credentials, clock }: ThroughHostParts,
  { owner }: Pick<Context, 'owner'>,
  { url, token, connectionId, repository }: NamedRepository,
): Promise<{ readonly connection: GitConnection; readonly url: string } | undefined> {
  if (connectionId === undefined && repository === undefined && url !== undefined) return undefined
  if (connectionId === undefined || repository === undefined || url !== undefined || token !== undefined)
    throw invalidRequest('pass either `url`, or `connectionId` and `repository`')
  const connection = await connections.find(owner.id, connectionId)
  if (!connection) throw noSuch('connected Git host', connectionId)
  if (!isRepositoryName(repository)) throw invalidRequest('`repository` should be `owner/name`')
  const found = await watched({ store: connections, credentials, clock }, connection, (access) =>
    accounts.repository(access, repository, AbortSignal.timeout(MINUTE)),
  )
  if (!found)
    throw new AloftError(
      'repo_not_found',
      `${new URL(connection.url).hostname} has no repository ${repository} that ${connection.login} can read. Check its name and the permissions of the token.`,
    )
  return { connection, url: `${connection.url}/${found.name}.git` }
}
