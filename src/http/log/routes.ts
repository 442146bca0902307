import type { IncomingHttpHeaders } from 'node:http'
import * as api from '#contract/api/log.ts'
import type { Endpoint, RawReply } from '#contract/endpoint.ts'
import type { Context } from '#core/access/context.ts'
import type { LogEntry } from '#core/log/log-entry.ts'
import type { DeploymentLogs } from '#core/log/read/deployment-logs.ts'
import { type Route, route } from '../route.ts'
import * as current from './current.ts'
import * as legacy from './legacy.ts'
import { type PermitParts, permitFor } from './permit.ts'
import { readLogQuery } from './read-query.ts'
import { streamLines } from './stream.ts'

/** What the log of a deployment needs to know of it. */
interface LoggedDeployment {
  readonly id: string
  readonly name: string
  /** Whether it is READY or in ERROR. */
  isFinished(): Promise<boolean>
}

/** Finds a deployment whose log the caller may read. */
export type FindLogged = (ctx: Context, idOrHost: string) => Promise<LoggedDeployment>

interface Form {
  readonly entry: (entry: LogEntry) => unknown
  readonly entries: (entries: readonly LogEntry[]) => unknown
}

interface ReadInput {
  readonly params: { readonly id: string }
  readonly query: api.EventsQuery
  readonly headers: IncomingHttpHeaders
}

export const LINES = 'application/stream+json'
export const LINES_HEADERS = { 'cache-control': 'no-store', 'x-accel-buffering': 'no' }

/** As bytes: to a text Fastify would add a charset, which this type does not have. */
const linesOf = (values: readonly unknown[]): Buffer =>
  Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))

export function logRoutes(logs: DeploymentLogs, find: FindLogged, parts: PermitParts): readonly Route[] {
  const answer =
    (row: Endpoint, formOf: (deployment: LoggedDeployment) => Form) =>
    async (ctx: Context, { params, query, headers }: ReadInput): Promise<RawReply> => {
      const { request, follow, lines } = readLogQuery(query)
      const deployment = await find(ctx, params.id)
      const form = formOf(deployment)
      if (follow) {
        const isFinished = request.builds ? () => deployment.isFinished() : undefined
        const again = (caller: Context) => find(caller, deployment.id)
        const permit = permitFor(parts, { row, ctx, headers, find: again })
        const body = streamLines((signal) =>
          shown(logs.follow(deployment.id, request, { signal, isFinished, by: ctx.owner.id, permit }), form),
        )
        return { type: LINES, headers: LINES_HEADERS, body, endless: true }
      }
      const entries = await logs.read(deployment.id, request)
      return lines
        ? { type: LINES, headers: LINES_HEADERS, body: linesOf(entries.map(form.entry)) }
        : { type: 'application/json; charset=utf-8', body: JSON.stringify(form.entries(entries)) }
    }

  const older = (row: Endpoint) =>
    answer(row, ({ name }) => ({ entry: legacy.entry(name), entries: legacy.entries(name) }))
  return [
    route(
      api.readEvents,
      answer(api.readEvents, () => current),
    ),
    route(api.legacy.readEvents, older(api.legacy.readEvents)),
    route(api.earliest.readEvents, older(api.earliest.readEvents)),
    route(api.earliest.readLogs, older(api.earliest.readLogs)),
  ]
}

async function* shown(entries: AsyncIterable<LogEntry>, { entry }: Form): AsyncGenerator<unknown, void> {
  for await (const each of entries) yield entry(each)
}
