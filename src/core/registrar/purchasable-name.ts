import { AloftError } from '#contract/errors.ts'
import { apexOf, storedName } from '../domain/domain-name.ts'

export const unsupported = (name: string) =>
  new AloftError('invalid_domain', `Domains like \`${name}\` are not sold here.`, { name })

/** A name that somebody can register: one label below what names are registered under. */
export function readPurchasable(text: string | undefined): string {
  if (text === undefined || text.trim() === '')
    throw new AloftError('missing_name', 'The `name` of the domain is missing.')
  const name = storedName(text)
  if (name === undefined || apexOf(name) !== name) throw unsupported(text.slice(0, 100))
  return name
}
