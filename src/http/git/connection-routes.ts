import * as api from '#contract/api/git-connection.ts'
import type { GitConnection } from '#core/git/host/connection.ts'
import type { Connections } from '#core/git/host/connections.ts'
import type { Inspect } from '#core/git/source/inspect.ts'
import { type Route, route } from '../route.ts'

export const shownConnection = ({
  id,
  kind,
  url,
  login,
  app,
  createdBy,
  createdAt,
  problem,
}: GitConnection) => ({
  ...{ id, kind, url, login, createdBy, createdAt, problem },
  appId: app?.id ?? null,
})

export interface ConnectionRouteParts {
  readonly connections: Connections
  readonly inspect: Inspect
}

export const connectionRoutes = ({ connections, inspect }: ConnectionRouteParts): readonly Route[] => [
  route(api.createGitConnection, async (ctx, { body }) =>
    shownConnection(await connections.create(ctx, body)),
  ),
  route(api.listGitConnections, async (ctx) => ({
    connections: (await connections.list(ctx)).map(shownConnection),
  })),
  route(api.deleteGitConnection, async (ctx, { params }) => {
    await connections.remove(ctx, params.id)
    return undefined
  }),
  route(api.listRepositories, async (ctx, { params, query }) => {
    const { search = '', page = 1 } = query
    const found = await connections.repositories(ctx, params.id, { search: search.trim(), page })
    return {
      repositories: found.repositories.map(({ isPrivate, ...one }) => ({ ...one, private: isPrivate })),
      next: found.next,
    }
  }),
  route(api.inspectRepository, async (ctx, { body }) => {
    const { branches, folders, ...rest } = await inspect(ctx, body)
    return {
      ...rest,
      branches: [...branches],
      folders: folders.map(({ variables, ...folder }) => ({ ...folder, variables: [...variables] })),
    }
  }),
]
