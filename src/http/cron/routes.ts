import * as api from '#contract/api/cron.ts'
import { PAGE_LIMIT } from '#contract/page.ts'
import type { Cron, CronRun } from '#core/cron/cron.ts'
import type { Crons } from '#core/cron/crons.ts'
import { type Route, route } from '../route.ts'

const cron = ({ ownerId: _, ...shown }: Cron) => shown

const run = ({ cronId: _, ...shown }: CronRun) => ({
  ...shown,
  durationMs:
    shown.startedAt === null || shown.endedAt === null ? null : Math.max(0, shown.endedAt - shown.startedAt),
})

export const cronRoutes = (crons: Crons): readonly Route[] => [
  route(api.listCrons, async (ctx, { params }) => ({
    crons: (await crons.list(ctx, params.idOrName)).map(({ cron: one, last }) => ({
      ...cron(one),
      ...(last ? { lastRun: run(last) } : {}),
    })),
  })),
  route(api.createCron, async (ctx, { params, body }) =>
    cron(await crons.create(ctx, params.idOrName, body)),
  ),
  route(api.updateCron, async (ctx, { params, body }) =>
    cron(await crons.update(ctx, params.idOrName, params.id, body)),
  ),
  route(api.deleteCron, async (ctx, { params }) => {
    await crons.remove(ctx, params.idOrName, params.id)
    return undefined
  }),
  route(api.runCron, async (ctx, { params }) => ({
    id: await crons.runNow(ctx, params.idOrName, params.id),
  })),
  route(api.listCronRuns, async (ctx, { params, query }) => {
    const page = { limit: query.limit ?? PAGE_LIMIT.current, until: query.until }
    return { runs: (await crons.runs(ctx, params.idOrName, params.id, page)).map(run) }
  }),
]
