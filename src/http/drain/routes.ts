import * as api from '#contract/api/drain.ts'
import { AloftError } from '#contract/errors.ts'
import type { Context } from '#core/access/context.ts'
import { verifyCodeOf } from '#core/drain/drain.ts'
import type { DrainRequest, Drains, KnownDrain } from '#core/drain/drains.ts'
import { type Route, route } from '../route.ts'

const shown = ({ drain, clientId }: KnownDrain) => {
  const { id, name, url, format, projectIds, sources, environments, samplingRate } = drain
  return {
    ...{ id, name, url, deliveryFormat: format },
    ...(projectIds === null ? {} : { projectIds: [...projectIds] }),
    ...(sources === null ? {} : { sources: [...sources] }),
    ...(environments === null ? {} : { environments: [...environments] }),
    ...(samplingRate === 1 ? {} : { samplingRate }),
    createdAt: drain.createdAt,
    ownerId: drain.ownerId,
    ...(clientId === null ? {} : { clientId }),
    ...(drain.installationId === null ? {} : { configurationId: drain.installationId }),
    createdFrom: drain.installationId === null ? 'self-served' : 'integration',
    status: drain.status,
  }
}

const requestOf = ({
  deliveryFormat,
  ...rest
}: Omit<DrainRequest, 'format'> & { deliveryFormat: DrainRequest['format'] }): DrainRequest => ({
  ...rest,
  format: deliveryFormat,
})

/** The ctx of an application; people have endpoints of their own. */
function ofIntegration(ctx: Context): Context {
  if (ctx.actor.installation) return ctx
  throw new AloftError('forbidden', 'This endpoint is for integrations. Use `/v1/log-drains` instead.')
}

export const drainRoutes = (drains: Drains): readonly Route[] => [
  route(api.createDrain, async (ctx, { body }) => shown(await drains.create(ctx, requestOf(body)))),
  route(api.listDrains, async (ctx) => (await drains.list(ctx)).map(shown)),
  route(api.getDrain, async (ctx, { params }) => shown(await drains.get(ctx, params.id))),
  route(api.deleteDrain, async (ctx, { params }) => {
    await drains.remove(ctx, params.id)
    return undefined
  }),
  route(api.getVerifyCode, (ctx) => ({ code: verifyCodeOf(ctx.owner.id) })),
  route(api.integrations.createDrain, async (ctx, { body }) =>
    shown(await drains.create(ofIntegration(ctx), requestOf(body))),
  ),
  route(api.integrations.listDrains, async (ctx) => (await drains.list(ofIntegration(ctx))).map(shown)),
  route(api.integrations.deleteDrain, async (ctx, { params }) => {
    await drains.remove(ofIntegration(ctx), params.id)
    return undefined
  }),
]
