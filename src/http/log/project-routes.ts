import { type ProjectLogs, readProjectLogs } from '#contract/api/project-log.ts'
import { AloftError } from '#contract/errors.ts'
import type { Context } from '#core/access/context.ts'
import type { LogEntry } from '#core/log/log-entry.ts'
import type { DeploymentLogs } from '#core/log/read/deployment-logs.ts'
import { type Route, route } from '../route.ts'
import { type PermitParts, permitFor } from './permit.ts'
import { projectEntry } from './project-entry.ts'
import { readProjectQuery } from './read-project-query.ts'
import { LINES, LINES_HEADERS } from './routes.ts'
import { streamLines } from './stream.ts'

interface FindParts {
  /** A project whose log the caller may read. */
  readonly findProject: (ctx: Context, idOrName: string) => Promise<{ readonly id: string }>
  /** A deployment whose log the caller may read. */
  readonly findDeployment: (
    ctx: Context,
    id: string,
  ) => Promise<{ readonly id: string; readonly projectId: string }>
}

export const projectLogRoutes = (
  logs: DeploymentLogs,
  { findProject, findDeployment, ...parts }: FindParts & PermitParts,
): readonly Route[] => [
  route(readProjectLogs, async (ctx, { params, query, headers }) => {
    const { filter, follow, limit } = readProjectQuery(query)
    async function find(caller: Context, idOrName: string) {
      const project = await findProject(caller, idOrName)
      if (filter.deploymentId === undefined) return project
      const { id, projectId } = await findDeployment(caller, filter.deploymentId)
      if (id !== filter.deploymentId || projectId !== project.id)
        throw new AloftError('not_found', 'The project has no such deployment.')
      return project
    }
    const project = await find(ctx, params.idOrName)
    if (follow) {
      // By its id from now on: another one may come to have its name.
      const again = (caller: Context) => find(caller, project.id)
      const permit = permitFor(parts, { row: readProjectLogs, ctx, headers, find: again })
      const body = streamLines((signal) =>
        shown(logs.followProject(project.id, { ...filter, limit }, { signal, by: ctx.owner.id, permit })),
      )
      return { type: LINES, headers: LINES_HEADERS, body, endless: true }
    }
    const { entries, position, complete } = await logs.readProject(project.id, {
      ...filter,
      limit: limit ?? 0,
    })
    const answer: ProjectLogs = {
      entries: entries.map(projectEntry),
      pagination: { count: entries.length, next: complete ? null : (position ?? null) },
    }
    return { type: 'application/json; charset=utf-8', body: JSON.stringify(answer) }
  }),
]

async function* shown(entries: AsyncIterable<LogEntry>): AsyncGenerator<unknown, void> {
  for await (const entry of entries) yield projectEntry(entry)
}
