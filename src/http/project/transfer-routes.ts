import * as api from '#contract/api/project-transfer.ts'
import type { Transfers } from '#core/project/transfers.ts'
import { type Route, route } from '../route.ts'
import * as firstVersion from './first-version.ts'

export const transferRoutes = (transfers: Transfers): readonly Route[] => [
  route(api.offerProject, async (ctx, { params }) => ({ code: await transfers.offer(ctx, params.idOrName) })),
  route(api.cancelOffer, async (ctx, { params }) => {
    await transfers.cancel(ctx, params.idOrName)
    return undefined
  }),
  route(api.acceptProject, async (ctx, { params, body }) =>
    firstVersion.project(await transfers.accept(ctx, params.code, body.newProjectName)),
  ),
]
