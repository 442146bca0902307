import * as api from '#contract/api/application.ts'
import { mapPage, PAGE_LIMIT } from '#contract/page.ts'
import type { Application } from '#core/application/application.ts'
import type { Applications } from '#core/application/applications.ts'
import { type Route, route } from '../route.ts'

const shown = ({ sealedSecret: _, ...application }: Application) => application

export const applicationRoutes = (applications: Applications): readonly Route[] => [
  route(api.createApplication, async (ctx, { body }) => {
    const { application, secret } = await applications.create(ctx, body)
    return { ...shown(application), clientSecret: secret }
  }),
  route(api.listApplications, async (ctx, { query }) => {
    const page = await applications.list(ctx, { limit: PAGE_LIMIT.current, ...query })
    return { applications: mapPage(page, shown), pagination: page.pagination }
  }),
  route(api.getApplication, async (ctx, { params }) => shown(await applications.get(ctx, params.id))),
  route(api.updateApplication, async (ctx, { params, body }) =>
    shown(await applications.change(ctx, params.id, body)),
  ),
  route(api.deleteApplication, async (ctx, { params }) => {
    await applications.remove(ctx, params.id)
    return undefined
  }),
  route(api.rotateSecret, async (ctx, { params }) => {
    const { application, secret } = await applications.rotateSecret(ctx, params.id)
    return { ...shown(application), clientSecret: secret }
  }),
]
