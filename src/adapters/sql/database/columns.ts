import type { Flag } from '../tables.ts'

export function flag(value: boolean): Flag
export function flag(value: boolean | undefined): Flag | undefined
export function flag(value: boolean | undefined): Flag | undefined {
  return value === undefined ? undefined : value ? 1 : 0
}

/** Whether a change says anything: Kysely leaves out what is undefined, and cannot set nothing. */
export const hasColumns = (columns: object): boolean =>
  Object.values(columns).some((value) => value !== undefined)
