import { isIPv4, isIPv6 } from 'node:net'
import type { RecordType } from '#contract/api/dns-record.ts'
import { AloftError } from '#contract/errors.ts'
import { readDnsName } from './record-name.ts'

/** Bytes of a TXT record: with room for what is beside it in an answer. */
const MAX_TEXT = 4096

interface ValueRule {
  readonly expected: string
  /** The value as it is kept; undefined when it does not have the form. */
  readonly read: (text: string) => string | undefined
}

const number =
  (max: number) =>
  (text: string | undefined): number | undefined =>
    text !== undefined && /^\d{1,5}$/.test(text) && Number(text) <= max ? Number(text) : undefined
const byte = number(255)
const short = number(65_535)

/** A dot alone says that there is no such server. */
const serverName = (text: string): string | undefined => (text === '.' ? '.' : hostName(text))

function hostName(text: string): string | undefined {
  const name = readDnsName(text)
  // A last label of digits makes an address of it.
  return name === undefined || /^\d+$/.test(name.slice(name.lastIndexOf('.') + 1)) ? undefined : name
}

/** So many numbers, and a server. */
const numbered =
  (count: number) =>
  (text: string): string | undefined => {
    const words = text.split(/\s+/)
    if (words.length !== count + 1) return undefined
    const numbers = words.slice(0, count).map(short)
    const target = serverName(words[count] ?? '')
    return target === undefined || numbers.includes(undefined) ? undefined : [...numbers, target].join(' ')
  }

/** Without quotes and backslashes in the value, which no authority has, and which are read in several ways. */
function readAuthorities(text: string): string | undefined {
  const found =
    /^(\d{1,3})\s+([a-zA-Z0-9]{1,15})\s+(?:"([\x20\x21\x23-\x5b\x5d-\x7e]{0,255})"|([\x21\x23-\x5b\x5d-\x7e]{1,255}))$/.exec(
      text,
    )
  const flags = byte(found?.[1])
  return found && flags !== undefined
    ? `${flags} ${found[2]?.toLowerCase()} "${found[3] ?? found[4]}"`
    : undefined
}

const readText = (text: string): string | undefined => {
  const bytes = Buffer.byteLength(text)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  return bytes > 0 && bytes <= MAX_TEXT && !/[\x00-\x08\x0a-\x1f\x7f]/.test(text) && text.isWellFormed()
    ? text
    : undefined
}

const HOST = 'a host name such as `host.example.com`'

const RULES: Readonly<Record<RecordType, ValueRule>> = {
  A: { expected: 'an IPv4 address such as `192.0.2.1`', read: (text) => (isIPv4(text) ? text : undefined) },
  AAAA: {
    expected: 'an IPv6 address such as `2001:db8::1`',
    read: (text) => (isIPv6(text) && !text.includes('%') ? text.toLowerCase() : undefined),
  },
  ALIAS: { expected: HOST, read: hostName },
  CAA: { expected: '`<flags> <tag> "<value>"` such as `0 issue "letsencrypt.org"`', read: readAuthorities },
  CNAME: { expected: HOST, read: hostName },
  MX: { expected: '`<priority> <host>` such as `10 mail.example.com`', read: numbered(1) },
  SRV: {
    expected: '`<priority> <weight> <port> <target>` such as `10 5 5060 sip.example.com`',
    read: numbered(3),
  },
  TXT: { expected: `a text of 1 to ${MAX_TEXT} bytes without control characters`, read: readText },
}

const invalid = (type: RecordType, why: string) =>
  new AloftError(
    'invalid_value',
    `The \`value\` of ${/^[AMS]/.test(type) ? 'an' : 'a'} ${type} record ${why}.`,
  )

/** The value in the form of its type; names in it are kept lower-case and without a dot at the end. */
export function readRecordValue(type: RecordType, text: string): string {
  const { expected, read } = RULES[type]
  const value = read(type === 'TXT' ? text : text.trim())
  if (value === undefined) throw invalid(type, `should be ${expected}`)
  return value
}

/** Throws when a name would lead to itself. */
export function checkTarget(type: RecordType, value: string, ownName: string): void {
  if ((type === 'CNAME' || type === 'ALIAS') && value === ownName)
    throw invalid(type, `should not be the name of the record itself, \`${ownName}\``)
}
