import { domainToASCII } from 'node:url'
import { AloftError } from '#contract/errors.ts'
import { fullName } from './record-slug.ts'

const MAX_NAME = 253
/** Names of records, unlike those of hosts, may have `_` anywhere. */
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/
const ASCII = /^[\x21-\x7e]*$/

/** Lower-case, in punycode and without a dot at the end; undefined when it is no name. */
export function readDnsName(text: string): string | undefined {
  // Longer ones cannot become a name, and what they cost to convert grows faster than they do.
  if (text.length > MAX_NAME + 1) return undefined
  const bare = text.replace(/\.$/, '')
  const name = ASCII.test(bare) ? bare.toLowerCase() : domainToASCII(bare)
  return name.length <= MAX_NAME && name.split('.').every((label) => LABEL.test(label)) ? name : undefined
}

/**
 * The name that a request gives, always below the domain: `www`, `*.shop`, `_sip._tcp`; `@` and nothing are
 * the domain itself.
 */
export function readRecordName(text: string, zone: string): string {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed === '@') return ''
  const wild = trimmed === '*' || trimmed.startsWith('*.')
  const rest = wild ? trimmed.slice(2) : trimmed
  const read = rest === '' && wild ? '' : rest.endsWith('.') ? undefined : readDnsName(rest)
  const name = read === undefined ? undefined : wild ? (read === '' ? '*' : `*.${read}`) : read
  if (name === undefined || fullName(name, zone).length > MAX_NAME) {
    const shown = text.slice(0, 100)
    throw new AloftError(
      'invalid_name',
      `\`${shown}\` is not a valid name in \`${zone}\`. Use labels such as \`www\` or \`*.shop\`, or \`@\` for the domain itself.`,
      { name: shown },
    )
  }
  return name
}
