import { AloftError } from '#contract/errors.ts'
import { MINUTE } from '#contract/time.ts'
import type { ConnectionStore, GitConnection } from '../host/connection.ts'
import { checkDelivery, type Delivery } from '../host/delivery.ts'
import { type FollowDeliveryParts, followDelivery } from '../host/follow-delivery.ts'
import type { PullEvent } from '../pull/pull.ts'
import { type GitSource, repositoryOf, type SourceStore } from '../source/source.ts'
import { queueSync } from '../source/sync-job.ts'
import type { AppStore, GitApp } from './app.ts'
import type { AppAccess } from './app-access.ts'
import { queueInstallations } from './installations.ts'

/** What a delivery to an app is about: one address has those of all its repositories. */
export interface AppEvent {
  readonly installationId: string
  /** Those that something happened in: a push, a pull request, or that the app sees them no more. */
  readonly repositories: readonly string[]
  readonly pull: PullEvent | undefined
  /** Whether it tells how the installation itself is. Of that nothing is believed: the host is asked. */
  readonly isOfInstallation: boolean
}

export interface AppDeliveries {
  /** Answers the number of projects that it led to something in. What is not signed is refused. */
  called(appId: string, delivery: Delivery<AppEvent>): Promise<number>
}

interface AppDeliveriesParts extends FollowDeliveryParts {
  readonly apps: AppStore
  readonly access: Pick<AppAccess, 'secretsOf'>
  readonly connections: Pick<ConnectionStore, 'list'>
  readonly sources: Pick<SourceStore, 'through'>
}

const isNamed =
  (names: readonly string[]) =>
  (source: GitSource): boolean =>
    names.some((name) => name.toLowerCase() === repositoryOf(source).toLowerCase())

export function createAppDeliveries(parts: AppDeliveriesParts): AppDeliveries {
  const { apps, access, connections, sources, transact, clock } = parts

  /** Written once in a while, so that nobody makes work by calling. */
  async function note(app: GitApp, what: 'heardAt' | 'refusedAt'): Promise<void> {
    const [now, last] = [clock.now(), app[what]]
    if (last === null || now - last > MINUTE) await apps.update(app.id, { [what]: now })
  }

  async function dispatch(
    connection: GitConnection,
    { repositories, pull, isOfInstallation }: AppEvent,
    key: string | undefined,
  ): Promise<number> {
    const named = (await sources.through(connection.id)).filter(isNamed(repositories))
    for (const source of named)
      if (isOfInstallation) await transact(({ jobs }) => queueSync(jobs, source, 'poll'))
      else await followDelivery(parts, source, { key, pull })
    return named.length
  }

  return {
    async called(appId, { proof, ...delivery }) {
      const app = await apps.byId(appId)
      const secret = app && access.secretsOf(app)?.webhookSecret
      if (!app || !secret) throw new AloftError('not_found', 'There is no such URL.')
      const checked =
        proof?.kind === 'hmac'
          ? await checkDelivery({ ...delivery, proof }, secret)
          : { isGenuine: false as const }
      if (!checked.isGenuine) {
        await note(app, 'refusedAt')
        throw new AloftError(
          'forbidden',
          'The webhook delivery was refused: it was not signed with the secret of the GitHub App.',
        )
      }
      await note(app, 'heardAt')
      const { content, key } = checked
      if (!content) return 0
      if (content.isOfInstallation) await transact(({ jobs }) => queueInstallations(jobs, appId))
      const of = (await connections.list(app.ownerId)).filter(
        (one) => one.app?.id === appId && one.app.installationId === content.installationId,
      )
      let count = 0
      for (const connection of of) count += await dispatch(connection, content, key)
      return count
    },
  }
}
