import type { IncomingMessage } from 'node:http'
import * as api from '#contract/api/git.ts'
import type { Context } from '#core/access/context.ts'
import { type GitSource, repositoryOf, type SourceHook } from '#core/git/source/source.ts'
import { webhookUrlOf } from '#core/git/source/source-hook.ts'
import type { Sources } from '#core/git/source/sources.ts'
import type { Projects } from '#core/project/projects.ts'
import { leavesMuchUnread } from '#core/unread-body.ts'
import { publicRoute, type Route, route } from '../route.ts'
import { readDelivery } from './read-delivery.ts'

export interface SourceRouteParts {
  readonly sources: Sources
  readonly projects: Pick<Projects, 'get'>
  /** `{base_url}`. */
  readonly site: string
}

const shownHook = ({ id, problem, triedAt, heardAt }: SourceHook) => ({
  state:
    id === null || problem !== null
      ? 'failed'
      : heardAt !== null
        ? 'working'
        : triedAt !== null
          ? 'waiting'
          : 'untested',
  heardAt,
  problem,
})

export function sourceRoutes({ sources, projects, site }: SourceRouteParts): readonly Route[] {
  async function show(ctx: Context, idOrName: string, source: GitSource | undefined) {
    const { name, details } = await projects.get(ctx, idOrName)
    return {
      url: source?.url ?? null,
      pushUrl: `${site}/git/${ctx.owner.slug}/${name}.git`,
      productionBranch: details.productionBranch,
      publicKey: source?.publicKey ?? null,
      webhookUrl: source ? webhookUrlOf(site, source) : null,
      connectionId: source?.connectionId ?? null,
      repository: source && source.connectionId !== null ? repositoryOf(source) : null,
      webhook: source?.hook ? shownHook(source.hook) : null,
      checkedAt: source?.checkedAt ?? null,
      problem: source?.problem ?? null,
    }
  }

  return [
    route(api.getSource, async (ctx, { params }) =>
      show(ctx, params.idOrName, await sources.find(ctx, params.idOrName)),
    ),
    route(api.connectSource, async (ctx, { params, body }) => {
      const { source, webhookSecret } = await sources.connect(ctx, params.idOrName, body)
      return {
        ...(await show(ctx, params.idOrName, source)),
        ...(webhookSecret === undefined ? {} : { webhookSecret }),
      }
    }),
    route(api.disconnectSource, async (ctx, { params }) => {
      await sources.disconnect(ctx, params.idOrName)
      return undefined
    }),
    route(api.syncSource, async (ctx, { params }) => {
      await sources.sync(ctx, params.idOrName)
      return { queued: true }
    }),
    publicRoute(api.callSource, async ({ ip }, { params, headers, body }) => {
      // Only that somebody called is taken for true: what was pushed, the repository itself is asked.
      try {
        return {
          queued: await sources.called(params.projectId, params.token, readDelivery(headers, body, ip)),
        }
      } finally {
        if (!leavesMuchUnread(body as IncomingMessage)) body.resume()
      }
    }),
  ]
}
