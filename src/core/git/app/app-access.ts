import { HOUR, MINUTE } from '#contract/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Vault } from '../../ports/vault.ts'
import { createTurns } from '../../turns.ts'
import type { ConnectionStore, GitConnection } from '../host/connection.ts'
import { HostRefusal } from '../host/host-api.ts'
import { type AppSecrets, type AppStore, appPurpose, type GitApp, installUrlOf } from './app.ts'
import type { AppKey, HostApps, Installation } from './host-apps.ts'

export interface AppAccess {
  /** A token of the installation that a connection stands for. Rejects as `HostAccounts` does, and says why in words. */
  token(connection: GitConnection): Promise<string>
  /** Asks the host how the installation is, and remembers what is wrong with it; answers that in words. */
  look(connection: GitConnection): Promise<string | null>
  secretsOf(app: GitApp): AppSecrets | undefined
  keyOf(app: GitApp): AppKey | undefined
}

interface AppAccessParts {
  readonly apps: Pick<AppStore, 'byId'>
  readonly connections: Pick<ConnectionStore, 'update'>
  readonly hostApps: HostApps
  readonly vault: Vault
  readonly clock: Clock
}

/** A token is good for an hour, whatever the clock of the host says; what begins with one has this long to go on. */
const EARLY = 10 * MINUTE
const MOST_TOKENS = 1000

export function createAppAccess({ apps, connections, hostApps, vault, clock }: AppAccessParts): AppAccess {
  const tokens = new Map<
    string,
    { readonly token: string; readonly askedAt: number; readonly until: number }
  >()

  const secretsOf = ({ id, made }: GitApp): AppSecrets | undefined =>
    made === null ? undefined : (JSON.parse(vault.open(made.sealedSecrets, appPurpose(id))) as AppSecrets)

  const keyOf = (app: GitApp): AppKey | undefined => {
    const secrets = secretsOf(app)
    return secrets && app.made ? { url: app.url, hostId: app.made.hostId, pem: secrets.pem } : undefined
  }

  const remember = ({ id }: GitConnection, problem: string | null, checkedAt = clock.now()) =>
    connections.update(id, { checkedAt, problem })

  /** One after the other for each connection: what was found later is remembered later. */
  const looking = createTurns(1)
  const look = (connection: GitConnection): Promise<string | null> =>
    looking.run(connection.id, () => lookNow(connection))

  async function lookNow(connection: GitConnection): Promise<string | null> {
    const app = connection.app === null ? undefined : await apps.byId(connection.app.id)
    const key = app && keyOf(app)
    const signal = AbortSignal.timeout(MINUTE)
    const problem =
      app && key && connection.app
        ? await hostApps.installation(key, connection.app.installationId, signal).then(
            (found) => wordsOf(app, connection, found),
            (error: unknown) => {
              if (error instanceof HostRefusal && error.status === 401) return unknownApp(connection)
              throw error
            },
          )
        : unknownApp(connection)
    if (problem !== null) tokens.delete(connection.id)
    await remember(connection, problem)
    return problem
  }

  return {
    secretsOf,
    keyOf,
    look,

    async token(connection) {
      const kept = tokens.get(connection.id)
      const now = clock.now()
      // Another process may have found meanwhile that the installation was suspended, which ends its tokens.
      const isOlder = connection.problem !== null || connection.checkedAt > (kept?.askedAt ?? 0)
      if (kept && kept.until > now && !isOlder) return kept.token
      const app = connection.app === null ? undefined : await apps.byId(connection.app.id)
      const key = app && keyOf(app)
      if (!key || connection.app === null) throw new HostRefusal(sentence(unknownApp(connection)), undefined)
      try {
        const { installationId } = connection.app
        const made = await hostApps.token(key, installationId, AbortSignal.timeout(MINUTE))
        if (tokens.size >= MOST_TOKENS) tokens.clear()
        tokens.set(connection.id, {
          token: made.token,
          askedAt: now,
          until: Math.min(made.expiresAt, clock.now() + HOUR) - EARLY,
        })
        if (connection.problem !== null) await remember(connection, null, now)
        return made.token
      } catch (error) {
        if (!(error instanceof HostRefusal)) throw error
        const problem = await look(connection)
        throw problem === null ? error : new HostRefusal(sentence(problem), undefined)
      }
    },
  }
}

/** Whoever passes it on ends the sentence. */
const sentence = (words: string): string => words.replace(/\.$/, '')

function wordsOf(
  { made }: GitApp,
  { url, login }: GitConnection,
  installation: Installation | undefined,
): string | null {
  const host = new URL(url).hostname
  const name = made?.name ?? 'Aloft'
  if (!installation)
    return `The GitHub App ${name} was uninstalled from ${login} at ${host}. Install it again${made ? ` at ${installUrlOf(made)}` : ''}.`
  return installation.isSuspended
    ? `The GitHub App ${name} is suspended for ${login} at ${host}. Unsuspend it there, in the settings of ${login} under “GitHub Apps”.`
    : null
}

const unknownApp = ({ url }: GitConnection): string =>
  `${new URL(url).hostname} no longer accepts the GitHub App: it may have been deleted, or its key revoked. Connect GitHub again.`
