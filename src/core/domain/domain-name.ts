import { domainToASCII } from 'node:url'
import { AloftError } from '#contract/errors.ts'
import { registeredPart } from './registered-part.ts'

const MAX_NAME = 253
/** What an address has beside a name; converting would drop it. */
const NOT_A_NAME = /[\s/?#@:\\%]/

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Whether it can stand between the dots of a host name, in our spelling. */
export const isHostLabel = (label: string): boolean => LABEL.test(label)

export const parentOf = (name: string): string => name.slice(name.indexOf('.') + 1)

/** A name as it is stored; undefined when none can be made of the text. */
export function storedName(text: string): string | undefined {
  // Longer ones cannot become a name, and what they cost to convert grows faster than they do.
  const bare = text.length > 2 * MAX_NAME ? '' : text.trim().replace(/\.$/, '')
  if (NOT_A_NAME.test(bare)) return undefined
  const name = domainToASCII(bare)
  const labels = name.split('.')
  const fits = name.length <= MAX_NAME && labels.length > 1 && labels.every(isHostLabel)
  // A last label of digits makes an address of it.
  return fits && !/^\d+$/.test(labels.at(-1) ?? '') ? name : undefined
}

/** The part of a name that somebody can have registered; undefined for what names are registered under. */
export const apexOf = (name: string): string | undefined =>
  registeredPart(name, { allowPrivateDomains: true, validateHostname: false })

/** The name that a request gives for a domain, in whatever script. */
export function readDomainName(text: string | undefined): string {
  if (text === undefined || text.trim() === '')
    throw new AloftError('missing_name', 'The `name` of the domain is missing.')
  const name = storedName(text)
  const shown = text.slice(0, 100)
  if (name === undefined)
    throw new AloftError('invalid_name', `\`${shown}\` is not a valid domain name.`, { name: shown })
  if (apexOf(name) === undefined)
    throw new AloftError('invalid_name', `\`${shown}\` is a public suffix. Use a name below it.`, {
      name: shown,
    })
  return name
}
