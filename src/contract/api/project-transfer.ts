import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PERSONAL } from '../scopes.ts'
import { ProjectBrief } from './project.ts'

/** Given away by a person, never by an integration. */
const transfer = { gen: 'current', access: PERSONAL, teamBySlug: true, limit: 'write' } as const

export const offerProject = endpoint({
  ...transfer,
  on: 'POST /projects/:idOrName/transfer-request',
  summary: 'Offer a project to another account; whoever has the code can take it within 24 hours',
  reply: Type.Object({ code: Type.String() }),
})

export const cancelOffer = endpoint({
  ...transfer,
  on: 'DELETE /projects/:idOrName/transfer-request',
  summary: 'Take the offer of a project back',
  status: 204,
  reply: 'empty',
})

export const acceptProject = endpoint({
  ...transfer,
  on: 'PUT /projects/transfer-request/:code',
  summary: 'Take a project that was offered into the acting account',
  status: 202,
  body: Type.Object({ newProjectName: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })) }),
  reply: ProjectBrief,
})
