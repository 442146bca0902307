/** Names of fields whose values are never written. */
export const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'token',
  'bearer',
  'password',
  'secret',
  'key',
] as const

/** What a line says beside its message; under these names nobody would read it. */
export type LogFields = Readonly<Record<string, unknown>> & {
  readonly [Name in (typeof SECRET_FIELDS)[number]]?: never
}

/** A structured log. Secrets are redacted by the adapter; callers still never pass one on purpose. */
export interface Log {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
  child(fields: LogFields): Log
}
