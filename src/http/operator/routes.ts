import * as api from '#contract/api/operator.ts'
import { AloftError } from '#contract/errors.ts'
import type { Operators } from '#core/operator/operators.ts'
import { publicRoute, type Route, route } from '../route.ts'
import { askForOperator, setUpDone } from './pages.ts'

export const operatorRoutes = (operators: Operators, site: string): readonly Route[] => [
  route(api.getAccount, (_ctx, { params }) => operators.findAccount(params.idOrEmailOrSlug)),
  route(api.updateAccount, (_ctx, { params, body }) => {
    if (body.plan === undefined && body.softBlocked === undefined)
      throw new AloftError('bad_request', 'Invalid request: `plan` or `softBlocked` is required.')
    return operators.updateAccount(params.idOrEmailOrSlug, body)
  }),
  route(api.listJobs, async () => {
    const { jobs, queue } = await operators.jobs()
    return { jobs: jobs.map(({ kind, summary }) => ({ name: kind, summary })), queue }
  }),
  route(api.runJob, async (_ctx, { params }) => ({
    name: params.name,
    jobId: await operators.runJob(params.name),
    state: 'queued',
  })),
  publicRoute(api.setupPage, async (_visit, { query: { token } }) => {
    if (!token || !(await operators.isSetupOpen(token)))
      throw new AloftError(
        'not_found',
        'This set-up link is not valid, or was used already. A restart prints a new one.',
      )
    return askForOperator(token)
  }),
  publicRoute(api.setUp, async (_visit, { query, body }) => {
    const { user, bearer } = await operators.completeSetup(body.token ?? query.token ?? '', body.email)
    return setUpDone(user.email, bearer, site)
  }),
]
