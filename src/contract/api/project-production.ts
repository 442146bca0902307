import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PaginationSchema, pageQuery } from '../page.ts'
import { current } from './project.ts'

const Nothing = Type.Object({})

export const pauseProject = endpoint({
  ...current,
  on: 'POST /v1/projects/:projectId/pause',
  summary: 'Pause a project: its production domains return 503 until it is resumed',
  reply: Nothing,
})

export const unpauseProject = endpoint({
  ...current,
  on: 'POST /v1/projects/:projectId/unpause',
  summary: 'Resume a paused project with the newest production deployment',
  reply: Nothing,
})

export const promoteDeployment = endpoint({
  ...current,
  on: 'POST /v10/projects/:projectId/promote/:deploymentId',
  summary: 'Point all production aliases of a project to a deployment',
  status: 202,
  reply: Nothing,
})

export const rollBackProject = endpoint({
  ...current,
  on: 'POST /v9/projects/:projectId/rollback/:deploymentId',
  summary: 'Roll back: point all production aliases to an earlier deployment until the next promotion',
  status: 201,
  reply: Nothing,
})

export const listMovedAliases = endpoint({
  ...current,
  on: 'GET /v1/projects/:projectId/promote/aliases',
  summary: 'List the aliases that the last promotion or rollback moved',
  query: Type.Object({
    ...pageQuery,
    failedOnly: Type.Optional(Type.Boolean({ description: 'Only aliases that could not be moved.' })),
  }),
  reply: Type.Object({
    aliases: Type.Array(
      Type.Object({
        status: Type.Enum(['pending', 'completed', 'failed'] as const),
        alias: Type.String(),
        id: Type.String(),
      }),
    ),
    pagination: PaginationSchema,
  }),
})
