import { invalidRequest } from '#contract/errors.ts'
import type { Context } from '../access/context.ts'
import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { PrerenderCache } from '../ports/prerender-cache.ts'
import { findProject } from '../project/find-project.ts'
import type { ProjectStore } from '../project/project-store.ts'
import { EVERYTHING, REVALIDATIONS_TOPIC } from '../site/revalidation.ts'

interface Purge {
  readonly tags?: readonly string[] | undefined
  readonly paths?: readonly string[] | undefined
  readonly all?: boolean | undefined
  /** What is kept may be given while it is made anew. */
  readonly soft?: boolean | undefined
}

export interface Purges {
  /** Answers of how many deployments. */
  purge(ctx: Context, idOrName: string, what: Purge): Promise<number>
}

interface PurgeParts {
  readonly projects: Pick<ProjectStore, 'byIdOrName' | 'deploymentsOf'>
  readonly cache: Pick<PrerenderCache, 'revalidate'>
  readonly bus: Bus
  readonly clock: Clock
}

/** Older deployments than these are rarely visited, and their answers grow old by themselves. */
const LATEST = 20
const SOFT_SECONDS = 365 * 86_400

/** How kept answers of a path are tagged here, and by Next.js. */
const pathTags = (path: string): readonly string[] => [`path:${path}`, `_N_T_${path}`]

export const createPurges = ({ projects, cache, bus, clock }: PurgeParts): Purges => ({
  async purge(ctx, idOrName, { tags = [], paths = [], all = false, soft = false }) {
    const project = await findProject(projects, ctx, idOrName, 'byIdOrName')
    const named = all ? [EVERYTHING] : [...tags, ...paths.flatMap(pathTags)]
    if (named.length === 0) throw invalidRequest('pass `tags`, `paths` or `all`')
    const shown = (await projects.deploymentsOf(project.ownerId, [project.id], LATEST)).get(project.id)
    const ids = new Set(
      [...(shown?.latest ?? []), shown?.production, shown?.staging].flatMap((one) => (one ? [one.id] : [])),
    )
    const revalidation = { tags: named, at: clock.now(), ...(soft ? { expire: SOFT_SECONDS } : {}) }
    for (const id of ids) await cache.revalidate(id, revalidation, () => bus.publish(REVALIDATIONS_TOPIC, id))
    return ids.size
  },
})
