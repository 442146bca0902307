import * as api from '#contract/api/operator.ts'
import { AloftError, invalidRequest } from '#contract/errors.ts'
import { mapPage, PAGE_LIMIT } from '#contract/page.ts'
import type { Backups } from '#core/operator/backup.ts'
import type { Operators } from '#core/operator/operators.ts'
import type { Check, Status } from '#core/operator/status.ts'
import type { UnknownEndpoint } from '#core/operator/unknown-endpoints.ts'
import type { Sessions } from '#core/session/sessions.ts'
import { publicRoute, type Route, route } from '../route.ts'
import { writeCookie } from '../session/cookies.ts'
import { askForOperator, setUpDone } from './pages.ts'

interface OperatorParts {
  readonly operators: Operators
  readonly backups: Backups
  readonly readStatus: () => Promise<Status & { readonly checks: readonly Check[] }>
  readonly readUnknown: () => Promise<readonly UnknownEndpoint[]>
  /** Answers why nothing was restarted, if so. */
  readonly restart: () => Promise<string | undefined>
  readonly sessions: Sessions
  readonly site: string
  /** How the command line is called on the machine of the server. */
  readonly command: string
}

export const operatorRoutes = ({
  operators,
  backups,
  readStatus,
  readUnknown,
  restart,
  sessions,
  site,
  command,
}: OperatorParts): readonly Route[] => [
  route(api.getStatus, async () => {
    const { addresses, nameservers, processes, checks, sandbox, logs, lateJobs, ...status } =
      await readStatus()
    return {
      ...status,
      addresses: [...addresses],
      exposed: [...status.exposed],
      nameservers: [...nameservers],
      processes: [...processes],
      checks: [...checks],
      lateJobs: [...lateJobs],
      logs: { ...logs, damaged: [...logs.damaged] },
      sandbox: {
        ...sandbox,
        missing: [...sandbox.missing],
        inForce: sandbox.inForce.map((pair) => [...pair]),
      },
    }
  }),
  route(api.listUnknownEndpoints, async () => ({ endpoints: [...(await readUnknown())] })),
  route(api.restart, async () => {
    const refused = await restart()
    if (refused !== undefined)
      throw new AloftError(
        'conflict',
        `The server was not restarted and keeps running as before: ${refused}.`,
      )
    return { restarted: true }
  }),
  route(api.makeBackup, async (_ctx, { query }) => {
    const { fileName, bytes, content } = await backups.make({
      logs: query.logs ?? false,
      key: query.key ?? false,
    })
    return {
      type: 'application/x-tar',
      body: content,
      headers: {
        'content-disposition': `attachment; filename="${fileName}"`,
        // Not the length: what is deleted meanwhile is left out.
        'x-aloft-backup-bytes': String(bytes),
      },
    }
  }),
  route(api.listAccounts, async (_ctx, { query: { search, ...page } }) => {
    const found = await operators.listAccounts({ limit: PAGE_LIMIT.current, ...page }, search)
    return { accounts: [...found.items], pagination: found.pagination }
  }),
  route(api.getAccount, (_ctx, { params }) => operators.findAccount(params.idOrEmailOrSlug)),
  route(api.updateAccount, (_ctx, { params, body }) => {
    if (body.plan === undefined && body.softBlocked === undefined)
      throw invalidRequest('`plan` or `softBlocked` is required')
    return operators.updateAccount(params.idOrEmailOrSlug, body)
  }),
  route(api.listJobs, async () => {
    const { jobs, queue } = await operators.jobs()
    return { jobs: jobs.map(({ kind, summary }) => ({ name: kind, summary })), queue }
  }),
  route(api.listFailedJobs, async (_ctx, { query }) => {
    const found = await operators.failedJobs({ limit: PAGE_LIMIT.current, ...query })
    return {
      jobs: mapPage(found, ({ kind, ...job }) => ({ ...job, name: kind })),
      pagination: found.pagination,
    }
  }),
  route(api.retryFailedJob, async (_ctx, { params }) => {
    const { id, kind } = await operators.retryJob(params.id)
    return { id, name: kind, state: 'queued' }
  }),
  route(api.deleteFailedJob, async (_ctx, { params }) => {
    await operators.forgetJob(params.id)
    return undefined
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
        'This setup link is not valid or was already used. Restart the server to print a new one.',
      )
    return askForOperator(token)
  }),
  publicRoute(api.setUp, async (visit, { query, body }) => {
    const { user, bearer } = await operators.completeSetup(body.token ?? query.token ?? '', body.email)
    // Whoever held the link is who it was made for: the browser is signed in without a mail.
    const cookie = writeCookie('aloft_session', await sessions.begin(visit, user.id), visit.secure)
    return setUpDone({ email: user.email, bearer, site, command, cookie })
  }),
]
