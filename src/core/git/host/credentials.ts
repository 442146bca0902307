import type { Vault } from '../../ports/vault.ts'
import type { ProjectStore } from '../../project/project-store.ts'
import type { AppAccess } from '../app/app-access.ts'
import { GitError } from '../git-repositories.ts'
import {
  type GitSource,
  hostKindOf,
  isOverSsh,
  keyPurpose,
  type RemoteAccess,
  tokenPurpose,
} from '../source/source.ts'
import { type ConnectionStore, connectionPurpose, type GitConnection } from './connection.ts'
import { type HostAccess, HostRefusal } from './host-api.ts'

/** What signs in where the code of a project is: a token or key of its own, or that of a connected host. */
export interface Credentials {
  /** For git. Rejects with a `GitError` where the connected host is gone. */
  remote(source: GitSource): Promise<RemoteAccess>
  /** For the API of its host; undefined where there is none to ask, or nothing to sign in with. */
  host(source: GitSource): Promise<HostAccess | undefined>
  /** For git, of any repository at a connected host. */
  through(connection: GitConnection, url: string): Promise<RemoteAccess>
  /** Of a connected host itself. Rejects as `HostAccounts` does where an app is not let in any more. */
  connection(connection: GitConnection): Promise<HostAccess>
  /** Asks the host of an app why it does not let it in; null where it does, and where a token was given. */
  look(connection: GitConnection): Promise<string | null>
}

interface CredentialParts {
  readonly connections: Pick<ConnectionStore, 'byId'>
  readonly projects: Pick<ProjectStore, 'byId'>
  readonly apps: Pick<AppAccess, 'token' | 'look'>
  readonly vault: Vault
}

export function createCredentials({ connections, projects, apps, vault }: CredentialParts): Credentials {
  /** Of the account that the project belongs to by now: one that was given away takes no token with it. */
  async function connectionOf({ connectionId, projectId }: GitSource): Promise<GitConnection | undefined> {
    const found = connectionId === null ? undefined : await connections.byId(connectionId)
    return found && found.ownerId === (await projects.byId(projectId))?.ownerId ? found : undefined
  }

  const connection: Credentials['connection'] = async (of) => {
    const { id, kind, url, username, sealedToken } = of
    return {
      ...{ kind, url, username: username ?? 'git' },
      ...(sealedToken === null
        ? { isApp: true, token: await apps.token(of) }
        : { token: vault.open(sealedToken, connectionPurpose(id)) }),
    }
  }

  /** The same, for whoever knows of git alone. */
  const tokenFor = async (of: GitConnection): Promise<string> => {
    try {
      return (await connection(of)).token
    } catch (error) {
      throw new GitError(
        error instanceof HostRefusal
          ? error.message
          : `${new URL(of.url).hostname} can’t be reached right now`,
        { cause: error },
      )
    }
  }

  const throughConnection: Credentials['through'] = async (given, url) => ({
    url,
    username: gitUserOf(given),
    token: await tokenFor(given),
  })

  return {
    connection,
    look: async (of) => (of.app === null ? null : apps.look(of)),
    through: throughConnection,

    async remote(source) {
      const { url, knownHosts, sealedKey, sealedToken, projectId } = source
      if (source.connectionId !== null) {
        const through = await connectionOf(source)
        if (!through)
          throw new GitError(
            'the Git host that it was connected through was removed. Connect the repository again',
          )
        return throughConnection(through, url)
      }
      return {
        url,
        username: source.username,
        token: sealedToken === null ? undefined : vault.open(sealedToken, tokenPurpose(projectId)),
        knownHosts: knownHosts ?? undefined,
        key: sealedKey === null ? undefined : vault.open(sealedKey, keyPurpose(projectId)),
      }
    },

    async host(source) {
      const { url, username, projectId, sealedToken, connectionId } = source
      if (connectionId !== null) {
        const through = await connectionOf(source)
        return through && { ...(await connection(through)), url }
      }
      const kind = hostKindOf(source)
      if (kind === undefined || sealedToken === null || isOverSsh(source)) return undefined
      return { kind, url, username, token: vault.open(sealedToken, tokenPurpose(projectId)) }
    },
  }
}

/** What each host expects beside a token where git signs in. */
function gitUserOf({ kind, login, username }: GitConnection): string {
  switch (kind) {
    case 'github':
      return 'x-access-token'
    case 'gitlab':
      return 'oauth2'
    case 'gitea':
      return login
    case 'bitbucket':
      if (username === null) return 'x-token-auth'
      return username.includes('@') ? 'x-bitbucket-api-token-auth' : username
  }
}
