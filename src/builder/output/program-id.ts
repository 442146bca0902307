import { createHash } from 'node:crypto'
import type { Program } from '#core/output/output.ts'

/** A digest of everything else that a program is, whatever the order of its fields. */
export const programId = (program: Omit<Program, 'id'>): string =>
  createHash('sha256').update(canonical(program)).digest('hex')

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join()}}`
}
