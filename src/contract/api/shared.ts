import { type TSchema, Type } from 'typebox'

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** Milliseconds since the epoch. */
export const Time = Type.Integer({ minimum: 0 })

/** ISO 8601, as older shapes carry dates. */
export const IsoTime = Type.String({ format: 'date-time' })

export const Uid = Type.Object({ uid: Type.String() })

export const Id = Type.Object({ id: Type.String() })
