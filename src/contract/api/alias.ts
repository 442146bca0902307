import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PaginationSchema, pageQuery } from '../page.ts'
import { needs } from '../scopes.ts'
import { IsoTime, Nullable } from './shared.ts'

const Alias = Type.Object({
  uid: Type.String(),
  alias: Type.String(),
  created: IsoTime,
  deployment: Type.Object({ id: Type.String(), url: Nullable(Type.String()) }),
  deploymentId: Type.String(),
  projectId: Type.String(),
  rules: Type.Array(Type.Object({ dest: Type.String(), pathname: Type.Optional(Type.String()) })),
})

export const listAliases = endpoint({
  access: needs('deployment'),
  on: 'GET /v2/platform/aliases',
  summary: 'List the aliases of the account',
  query: Type.Object({
    ...pageQuery,
    domain: Type.Optional(Type.String({ description: 'Only aliases of this domain.' })),
    projectId: Type.Optional(Type.String()),
  }),
  reply: Type.Object({ aliases: Type.Array(Alias), pagination: PaginationSchema }),
})

export const getAlias = endpoint({
  access: needs('deployment'),
  on: 'GET /v2/platform/aliases/:id',
  summary: 'Get an alias, by its id or its name',
  reply: Alias,
})

export const deleteAlias = endpoint({
  access: needs('deployment'),
  on: 'DELETE /v2/platform/aliases/:id',
  summary: 'Remove an alias, by its id or its name',
  reply: Type.Object({ status: Type.Literal('SUCCESS') }),
})

export const listDeploymentAliases = endpoint({
  access: needs('deployment'),
  on: 'GET /v2/platform/deployments/:id/aliases',
  summary: 'List the aliases of a deployment',
  reply: Type.Object({
    aliases: Type.Array(Type.Object({ uid: Type.String(), alias: Type.String(), created: IsoTime })),
  }),
})

export const assignAlias = endpoint({
  access: needs('deployment'),
  on: 'POST /v2/platform/deployments/:id/aliases',
  summary: 'Point an alias to a deployment',
  body: Type.Object({ alias: Type.String({ minLength: 1, maxLength: 1024 }) }),
  reply: Type.Object({ uid: Type.String(), created: IsoTime, oldId: Type.Optional(Type.String()) }),
})

/** Unversioned paths have the same shapes. */
export const earliest = {
  listAliases: endpoint({ ...listAliases, gen: 'earliest', on: 'GET /platform/aliases' }),
  deleteAlias: endpoint({ ...deleteAlias, gen: 'earliest', on: 'DELETE /platform/aliases/:id' }),
  listDeploymentAliases: endpoint({
    ...listDeploymentAliases,
    gen: 'earliest',
    on: 'GET /platform/deployments/:id/aliases',
  }),
  assignAlias: endpoint({ ...assignAlias, gen: 'earliest', on: 'POST /platform/deployments/:id/aliases' }),
}
