import { AloftError, invalidRequest, noSuch } from '#contract/errors.ts'
import { newId } from '#contract/ids.ts'
import { MINUTE } from '#contract/time.ts'
import type { Context } from '../../access/context.ts'
import type { Allows } from '../../outbound/allowed-addresses.ts'
import { readUrl } from '../../outbound/read-url.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Locks } from '../../ports/locks.ts'
import type { Transact } from '../../ports/transact.ts'
import type { Vault } from '../../ports/vault.ts'
import type { ProjectStore } from '../../project/project-store.ts'
import type { SourceStore } from '../source/source.ts'
import {
  type ConnectionStore,
  connectionPurpose,
  type GitConnection,
  HOST_URLS,
  MOST_CONNECTIONS,
} from './connection.ts'
import type { Credentials } from './credentials.ts'
import type { HostAccounts, RepositoryPage } from './host-accounts.ts'
import { type HostAccess, type HostKind, HostRefusal } from './host-api.ts'

interface ConnectionRequest {
  readonly kind: HostKind
  readonly url?: string | undefined
  readonly username?: string | undefined
  readonly token: string
}

/** Accounts at hosts of repositories. Whoever may act for an account here may use what is connected to it. */
export interface Connections {
  /** Answers once the host has said whose token it is. */
  create(ctx: Context, request: ConnectionRequest): Promise<GitConnection>
  list(ctx: Context): Promise<readonly GitConnection[]>
  get(ctx: Context, id: string): Promise<GitConnection>
  remove(ctx: Context, id: string): Promise<void>
  repositories(
    ctx: Context,
    id: string,
    query: { readonly search: string; readonly page: number },
  ): Promise<RepositoryPage>
}

interface ConnectionsParts {
  readonly store: ConnectionStore
  readonly transact: Transact<{ readonly connections: ConnectionStore; readonly locks: Locks }>
  readonly accounts: HostAccounts
  readonly allowsAddress: Allows
  readonly sources: Pick<SourceStore, 'through'>
  readonly projects: Pick<ProjectStore, 'byId'>
  readonly credentials: Pick<Credentials, 'connection' | 'look'>
  readonly vault: Vault
  readonly clock: Clock
}

export function createConnections(parts: ConnectionsParts): Connections {
  const { store, transact, accounts, vault, clock } = parts

  const get = async ({ owner }: Context, id: string): Promise<GitConnection> => {
    const found = await store.find(owner.id, id)
    if (!found) throw unknown(id)
    return found
  }

  return {
    async create(ctx, { kind, token, ...given }) {
      const url = readHost(kind, given.url, parts.allowsAddress)
      const username = given.username ?? null
      const access = { kind, url, token, username: username ?? 'git' }
      const { id: userId, login } = await asked(accounts.who(access, AbortSignal.timeout(MINUTE)), url)
      const [id, now] = [newId.gitConnection(), clock.now()]
      const connection: GitConnection = {
        app: null,
        ...{ id, ownerId: ctx.owner.id, kind, url, username, login, userId },
        sealedToken: vault.seal(token, connectionPurpose(id)),
        createdBy: ctx.actor.user.id,
        createdAt: now,
        checkedAt: now,
        problem: null,
      }
      await transact(async ({ connections, locks }) => {
        await locks.take('connections', ctx.owner.id)
        if ((await connections.list(ctx.owner.id)).length >= MOST_CONNECTIONS)
          throw new AloftError('conflict', `An account can connect at most ${MOST_CONNECTIONS} Git hosts.`)
        await connections.add(connection)
      })
      return connection
    },

    list: ({ owner }) => store.list(owner.id),
    get,

    async remove(ctx, id) {
      const { createdBy } = await get(ctx, id)
      if (ctx.owner.role !== 'OWNER' && ctx.actor.user.id !== createdBy)
        throw new AloftError(
          'forbidden',
          'Only an OWNER of the team or the person who connected this Git host can remove it.',
        )
      const through = await parts.sources.through(id)
      const used = await Promise.all(through.map(({ projectId }) => parts.projects.byId(projectId)))
      // One that was given to another account has no use of it any more.
      const names = used
        .flatMap((project) => (project?.ownerId === ctx.owner.id ? [project.name] : []))
        .sort()
      if (names.length > 0)
        throw new AloftError(
          'conflict',
          `Projects are deployed through this Git host: ${names.slice(0, 10).join(', ')}${names.length > 10 ? ' and more' : ''}. Disconnect their repositories first.`,
        )
      await transact(async ({ connections }) => {
        if (!(await connections.remove(ctx.owner.id, id))) throw unknown(id)
      })
    },

    async repositories(ctx, id, query) {
      const connection = await get(ctx, id)
      return watched({ store, clock, credentials: parts.credentials }, connection, (access) =>
        accounts.repositories(access, { ...query, userId: connection.userId }, AbortSignal.timeout(MINUTE)),
      )
    },
  }
}

/** Asks the host, and remembers where it no longer accepts the token, or does again. */
export async function watched<T>(
  { store, clock, credentials }: WatchParts,
  connection: GitConnection,
  ask: (access: HostAccess) => Promise<T>,
): Promise<T> {
  const { id, url, problem, app } = connection
  const remember = (now: string | null) => store.update(id, { checkedAt: clock.now(), problem: now })
  const askOnce = async (): Promise<T> => {
    try {
      const answer = await ask(await credentials.connection(connection))
      if (problem !== null) await remember(null)
      return answer
    } catch (error) {
      const status = error instanceof HostRefusal ? error.status : undefined
      if (app === null && status === 401) await remember(rejected(url))
      // Also what an app may do no more is told by that it is suspended or gone.
      const why =
        app !== null && (status === 401 || status === 403) ? await credentials.look(connection) : null
      throw why === null ? error : new AloftError('bad_request', why)
    }
  }
  return asked(askOnce(), url)
}

interface WatchParts {
  readonly store: Pick<ConnectionStore, 'update'>
  readonly credentials: Pick<Credentials, 'connection' | 'look'>
  readonly clock: Clock
}

const rejected = (url: string): string =>
  `${new URL(url).hostname} does not accept the token: it may have expired or been revoked. Connect the host again with a new token.`

/** What a host refuses is told to whoever asked, in the words that it is recorded in. */
export async function asked<T>(answer: Promise<T>, url: string): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof AloftError) throw error
    const { hostname } = new URL(url)
    if (!(error instanceof HostRefusal))
      throw new AloftError(
        'service_unavailable',
        `${hostname} can’t be reached right now. Try again later.`,
        {},
        {
          cause: error,
        },
      )
    if (error.status === 401) throw new AloftError('bad_request', rejected(url))
    if (error.status === 403)
      throw new AloftError('bad_request', `${error.message}. The token may lack a permission.`)
    throw new AloftError('bad_request', `${error.message}.`)
  }
}

const unknown = (id: string) => noSuch('connected Git host', id)

export function readHost(kind: HostKind, given: string | undefined, allows: Allows): string {
  const text = given ?? HOST_URLS[kind]
  if (text === undefined)
    throw invalidRequest('`url` should be the URL of the host, such as https://codeberg.org')
  const url = new URL(readUrl(text, allows))
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw invalidRequest('`url` should be the URL of the host only, without a path')
  return url.origin
}
