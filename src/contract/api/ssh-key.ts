import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PERSONAL } from '../scopes.ts'
import { Nullable, Time } from './shared.ts'

const SshKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  fingerprint: Type.String({ description: '`SHA256:…`, as ssh-keygen shows it.' }),
  publicKey: Type.String(),
  createdAt: Time,
  usedAt: Nullable(Time),
})

/** How the repositories of this installation are reached over SSH. */
const SshServer = Type.Object({
  port: Type.Integer(),
  host: Type.String(),
  hostKeyFingerprint: Type.String({ description: 'What ssh shows when it first connects.' }),
})

export const listSshKeys = endpoint({
  access: PERSONAL,
  on: 'GET /v1/user/ssh-keys',
  summary: 'List the SSH keys of the user, newest first',
  reply: Type.Object({
    keys: Type.Array(SshKey),
    server: Nullable(SshServer),
  }),
})

export const addSshKey = endpoint({
  access: PERSONAL,
  on: 'POST /v1/user/ssh-keys',
  summary: 'Add an SSH key for git push and fetch',
  status: 201,
  body: Type.Object({
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Defaults to the comment of the key.' }),
    ),
    publicKey: Type.String({ minLength: 1, maxLength: 10_000, description: 'The line of a `.pub` file.' }),
  }),
  reply: Type.Object({ key: SshKey }),
})

export const deleteSshKey = endpoint({
  access: PERSONAL,
  on: 'DELETE /v1/user/ssh-keys/:id',
  summary: 'Remove an SSH key',
  reply: Type.Object({ key: SshKey }),
})
