import type { Deployment } from '../deployment/deployment.ts'
import type { Creator, ProjectDeployments, ProjectStore } from './project-store.ts'

/** A deployment with what is true of it at this moment, whatever was meant for it when it was made. */
export interface ShownDeployment {
  readonly deployment: Deployment
  /** The aliases that lead to it, first those it was made for. */
  readonly aliases: readonly string[]
  /** Null when there is no such user any more. */
  readonly creator: Creator | null
}

/** The same as `ProjectDeployments`, for people to look at. */
export interface ShownDeployments {
  readonly latest: readonly ShownDeployment[]
  readonly production?: ShownDeployment
  readonly staging?: ShownDeployment
}

const allOf = ({ latest, production, staging }: ProjectDeployments): readonly Deployment[] => [
  ...latest,
  ...(production ? [production] : []),
  ...(staging ? [staging] : []),
]

/** Names that were taken back, or came later by a promotion, are not what it was made for. */
function inOrder({ aliasFinal }: Deployment, held: readonly string[]): readonly string[] {
  const first = aliasFinal.filter((host) => held.includes(host))
  return [...first, ...held.filter((host) => !first.includes(host))]
}

/** What each of these projects has deployed, at most `latest` of the newest. */
export async function shownDeployments(
  store: Pick<ProjectStore, 'deploymentsOf' | 'namesOf'>,
  ownerId: string,
  ids: readonly string[],
  latest: number,
): Promise<ReadonlyMap<string, ShownDeployments>> {
  const found = await store.deploymentsOf(ownerId, ids, latest)
  const { aliases, creators } = await store.namesOf([...found.values()].flatMap(allOf))
  const show = (deployment: Deployment): ShownDeployment => ({
    deployment,
    aliases: deployment.state === 'READY' ? inOrder(deployment, aliases.get(deployment.id) ?? []) : [],
    creator: creators.get(deployment.creatorId) ?? null,
  })
  return new Map(
    [...found].map(([id, { latest: newest, production, staging }]) => [
      id,
      {
        latest: newest.map(show),
        ...(production === undefined ? {} : { production: show(production) }),
        ...(staging === undefined ? {} : { staging: show(staging) }),
      },
    ]),
  )
}
