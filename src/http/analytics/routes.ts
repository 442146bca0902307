import * as api from '#contract/api/analytics.ts'
import type { Analytics } from '#core/analytics/analytics.ts'
import { type Route, route } from '../route.ts'

/** How many hours are shown when nobody says. */
const HOURS = 24

const readIds = (text: string | undefined): readonly string[] | undefined => {
  const ids = text?.split(',').filter((id) => id !== '')
  return ids?.length ? ids : undefined
}

export const analyticsRoutes = (analytics: Analytics): readonly Route[] => [
  route(api.readAnalytics, (ctx, { params, query: { target, ...query } }) =>
    analytics.read(ctx, params.idOrName, { ...query, target: target === 'all' ? undefined : target }),
  ),
  route(api.readSparklines, async (ctx, { query: { hours = HOURS, ids } }) => {
    const { projects, ...time } = await analytics.sparklines(ctx, hours, readIds(ids))
    return { ...time, projects: projects.map((line) => ({ ...line, requests: [...line.requests] })) }
  }),
]
