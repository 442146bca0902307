import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { OPERATOR, PUBLIC } from '../scopes.ts'

const Amount = Type.Object({ free: Type.Number(), total: Type.Number() })

const MachineShape = Type.Object({
  name: Type.String({ description: 'The same at every start.' }),
  role: Type.Enum(['serve', 'work'] as const),
  version: Type.String(),
  origin: Type.String(),
  address: Type.Union([Type.String(), Type.Null()], {
    description: 'Where other machines reach its functions.',
  }),
  publicAddresses: Type.Array(Type.String(), {
    description: 'Under which visitors reach it; none where it does not serve.',
  }),
  load: Type.Number({ description: 'Of the last minute, for each processor.' }),
  memory: Amount,
  disk: Amount,
  startedAt: Type.Number(),
  heardAgo: Type.Number({ description: 'Milliseconds since it was last heard of.' }),
  isAlive: Type.Boolean(),
  isDraining: Type.Boolean({ description: 'Nothing new is given to it.' }),
})

export const listMachines = endpoint({
  on: 'GET /v1/operator/machines',
  gen: 'current',
  summary: 'The machines of the installation; one that serves and works is listed for each',
  access: OPERATOR,
  limit: 'read',
  reply: Type.Object({ machines: Type.Array(MachineShape) }),
})

export const updateMachine = endpoint({
  on: 'PATCH /v1/operator/machines/:name',
  gen: 'current',
  summary: 'Give a machine nothing new, or let it take part again',
  access: OPERATOR,
  limit: 'write',
  body: Type.Object({ draining: Type.Boolean() }, { additionalProperties: false }),
  reply: Type.Object({ machines: Type.Array(MachineShape) }),
})

export const removeMachine = endpoint({
  on: 'DELETE /v1/operator/machines/:name',
  gen: 'current',
  summary: 'Remove a machine for good: the others stop listening to it, and it ends',
  access: OPERATOR,
  limit: 'write',
  reply: Type.Object({ name: Type.String() }),
})

export const inviteMachine = endpoint({
  on: 'POST /v1/operator/machines/invitations',
  gen: 'current',
  summary: 'Invite one machine to become part of the installation',
  description: 'An earlier invitation that nobody used is void.',
  access: OPERATOR,
  limit: 'write',
  reply: Type.Object({
    token: Type.String({ description: 'Opens the settings that the machine gets. Told once.' }),
    expiresAt: Type.Number(),
  }),
})

export const joinInstallation = endpoint({
  on: 'POST /v1/machines/join',
  gen: 'current',
  summary: 'Fetch the settings of an invitation, sealed with its token; once',
  access: PUBLIC,
  limit: 'registration-verify',
  body: Type.Object({
    id: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'The hash of the token.' }),
  }),
  reply: Type.Object({ sealed: Type.String() }),
})
