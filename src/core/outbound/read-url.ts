import { isIP } from 'node:net'
import { withoutBrackets } from '#contract/address-in-url.ts'
import { AloftError } from '#contract/errors.ts'
import type { Allows } from './allowed-addresses.ts'
import { portOf } from './port-of.ts'

const MAX_URL = 2048

/** An address that requests may be sent to. What its name leads to is checked when one is sent. */
export function readUrl(text: string, allows: Allows): string {
  const url = URL.parse(text)
  const refuse = (why: string) => new AloftError('invalid_url', `Invalid request: \`url\` ${why}.`)
  if (text.length > MAX_URL) throw refuse(`is longer than ${MAX_URL} characters`)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw refuse('should be a URL that starts with `https://` or `http://`')
  if (url.username !== '' || url.password !== '') throw refuse('should not contain a password')
  const address = withoutBrackets(url.hostname)
  const port = portOf(url)
  const isLocal = url.hostname === 'localhost'
  if ((isIP(address) !== 0 && !allows(address, port)) || (isLocal && !allows('127.0.0.1', port)))
    throw refuse('points to a private IP address')
  return url.href
}
