import { type Static, type TSchema, Type } from 'typebox'

/** `type: [T, 'null']` rather than a union: the serialiser then need not try alternatives. */
export const Nullable = <T extends TSchema & { readonly type: string }>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] })

/** Milliseconds since the epoch. */
export const Time = Type.Integer({ minimum: 0 })

/** ISO 8601, as older shapes carry dates. */
export const IsoTime = Type.String({ format: 'date-time' })

export const Uid = Type.Object({ uid: Type.String() })

export const Id = Type.Object({ id: Type.String() })
