import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PERSONAL } from '../scopes.ts'
import { ProjectBrief } from './project.ts'

/** Given away by a person, never by an integration. */
const transfer = { access: PERSONAL, teamBySlug: true } as const

export const offerProject = endpoint({
  ...transfer,
  on: 'POST /projects/:idOrName/transfer-request',
  summary: 'Transfer a project; anyone with the code can accept it within 24 hours',
  reply: Type.Object({ code: Type.String() }),
})

export const cancelOffer = endpoint({
  ...transfer,
  on: 'DELETE /projects/:idOrName/transfer-request',
  summary: 'Cancel the transfer of a project',
  status: 204,
  reply: 'empty',
})

export const acceptProject = endpoint({
  ...transfer,
  on: 'PUT /projects/transfer-request/:code',
  summary: 'Accept a project transfer',
  status: 202,
  body: Type.Object({ newProjectName: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })) }),
  reply: ProjectBrief,
})
