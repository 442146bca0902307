import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { AppEvent } from '#core/git/app/app-deliveries.ts'
import type { Delivery } from '#core/git/host/delivery.ts'
import { type Json, object } from '#core/git/pull/pull-payload.ts'
import { readDelivery } from './read-delivery.ts'
import { parsePayload, pullReader } from './read-pull.ts'

const names = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((one) => {
    const name = object(one).full_name
    return typeof name === 'string' ? [name] : []
  })

/** What each event of an app tells of which repositories; others lead to nothing. */
const EVENTS: Readonly<
  Record<string, (payload: Json) => Pick<AppEvent, 'repositories' | 'isOfInstallation'>>
> = {
  push: ({ repository }) => ({ repositories: names(repository), isOfInstallation: false }),
  delete: ({ repository }) => ({ repositories: names(repository), isOfInstallation: false }),
  pull_request: ({ repository }) => ({ repositories: names(repository), isOfInstallation: false }),
  installation: () => ({ repositories: [], isOfInstallation: true }),
  installation_repositories: ({ repositories_added, repositories_removed }) => ({
    repositories: [...names(repositories_added), ...names(repositories_removed)],
    isOfInstallation: true,
  }),
}

/** A call of a GitHub App. */
export function readAppDelivery(headers: IncomingHttpHeaders, body: Readable, ip = ''): Delivery<AppEvent> {
  const readEvent = EVENTS[String(headers['x-github-event'] ?? '')]
  const readPull = pullReader(headers)
  return {
    ...readDelivery(headers, body, ip),
    read:
      readEvent &&
      (async (content) => {
        const payload = await parsePayload(content)
        const installationId = object(payload.installation).id
        return installationId === undefined
          ? undefined
          : { ...readEvent(payload), installationId: String(installationId), pull: readPull?.(payload) }
      }),
  }
}
