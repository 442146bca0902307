import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PaginationSchema, pageQuery } from '../page.ts'
import { needs } from '../scopes.ts'
import { IsoTime, Uid } from './shared.ts'

const Secret = Type.Object({ uid: Type.String(), name: Type.String(), created: IsoTime })

/** The bytes of a value in the form that `Buffer` has as JSON. */
const Bytes = Type.Object({ type: Type.Literal('Buffer'), data: Type.Array(Type.Integer()) })

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  description:
    'Letters, digits, `_`, `-` and `.`; unique in the account. Variables reference it as `@<name>`.',
})

const CreateBody = Type.Object({ name: Name, value: Type.String({ minLength: 1, maxLength: 65_536 }) })
const RenameBody = Type.Object({ name: Name })

const Created = Type.Object({
  uid: Type.String(),
  name: Type.String(),
  created: IsoTime,
  userId: Type.String(),
  value: Bytes,
})

const Renamed = Type.Object({
  uid: Type.String(),
  name: Type.String(),
  created: IsoTime,
  oldName: Type.String(),
})

export const listSecrets = endpoint({
  access: needs('global-project-env-vars'),
  on: 'GET /v2/platform/secrets',
  summary: 'List the secrets of the account, without their values',
  query: Type.Object(pageQuery),
  reply: Type.Object({ secrets: Type.Array(Secret), pagination: PaginationSchema }),
})

export const createSecret = endpoint({
  access: needs('global-project-env-vars'),
  on: 'POST /v2/platform/secrets',
  summary: 'Create a secret; its value cannot be read again',
  body: CreateBody,
  reply: Created,
})

export const renameSecret = endpoint({
  access: needs('global-project-env-vars'),
  on: 'PATCH /v2/platform/secrets/:name',
  summary: 'Rename a secret, by its name or uid',
  body: RenameBody,
  reply: Renamed,
})

export const deleteSecret = endpoint({
  access: needs('global-project-env-vars'),
  on: 'DELETE /v2/platform/secrets/:name',
  summary: 'Delete a secret, by its name or uid; existing deployments keep its value',
  reply: Secret,
})

/** The earliest paths answer changes with little more than the uid. */
export const earliest = {
  listSecrets: endpoint({ ...listSecrets, gen: 'earliest', on: 'GET /platform/secrets' }),
  createSecret: endpoint({ ...createSecret, gen: 'earliest', on: 'POST /platform/secrets', reply: Uid }),
  renameSecret: endpoint({
    ...renameSecret,
    gen: 'earliest',
    on: 'PATCH /platform/secrets/:uidOrName',
    reply: Type.Object({ uid: Type.String(), oldName: Type.String() }),
  }),
  deleteSecret: endpoint({
    ...deleteSecret,
    gen: 'earliest',
    on: 'DELETE /platform/secrets/:uidOrName',
    reply: Uid,
  }),
}
