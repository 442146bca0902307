import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { OPERATOR, PUBLIC } from '../scopes.ts'

const Amount = Type.Object({ free: Type.Number(), total: Type.Number() })

const MachineShape = Type.Object({
  name: Type.String({ description: 'Stays the same after a restart.' }),
  role: Type.Enum(['serve', 'work'] as const),
  version: Type.String(),
  origin: Type.String(),
  address: Type.Union([Type.String(), Type.Null()], {
    description: 'Where other machines reach its functions.',
  }),
  publicAddresses: Type.Array(Type.String(), {
    description: 'IP addresses for visitors; empty if it does not serve sites.',
  }),
  load: Type.Number({ description: 'Average of the last minute, per processor.' }),
  memory: Amount,
  disk: Amount,
  startedAt: Type.Number(),
  heardAgo: Type.Number({ description: 'Milliseconds since it was last heard of.' }),
  isAlive: Type.Boolean(),
  isDraining: Type.Boolean({ description: 'Whether it is draining: it gets no new work.' }),
})

export const listMachines = endpoint({
  on: 'GET /v1/operator/machines',
  summary: 'List the machines of the installation; one with both roles is listed once per role',
  access: OPERATOR,
  reply: Type.Object({ machines: Type.Array(MachineShape) }),
})

export const updateMachine = endpoint({
  on: 'PATCH /v1/operator/machines/:name',
  summary: 'Drain a machine, or put it back into service',
  access: OPERATOR,
  body: Type.Object({ draining: Type.Boolean() }, { additionalProperties: false }),
  reply: Type.Object({ machines: Type.Array(MachineShape) }),
})

export const removeMachine = endpoint({
  on: 'DELETE /v1/operator/machines/:name',
  summary: 'Remove a machine permanently: the others refuse its connections, and it stops',
  access: OPERATOR,
  reply: Type.Object({ name: Type.String() }),
})

export const inviteMachine = endpoint({
  on: 'POST /v1/operator/machines/invitations',
  summary: 'Invite a machine to join the installation',
  description: 'Replaces an earlier unused invitation.',
  access: OPERATOR,
  reply: Type.Object({
    token: Type.String({ description: 'Decrypts the settings for the machine. Returned only once.' }),
    expiresAt: Type.Number(),
  }),
})

export const joinInstallation = endpoint({
  on: 'POST /v1/machines/join',
  summary: 'Get the settings of an invitation, encrypted with its token; works once',
  access: PUBLIC,
  limit: 'registration-verify',
  body: Type.Object({
    id: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'The hash of the token.' }),
  }),
  reply: Type.Object({ sealed: Type.String() }),
})
