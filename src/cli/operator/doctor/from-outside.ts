import { connect } from 'node:tls'
import { SECOND } from '#contract/time.ts'
import { relativeTime } from '../../output/relative-time.ts'
import type { Status } from '../status.ts'
import { bad, type Check, good, reasonOf, TIMEOUT } from './check.ts'

/** Clocks further apart than this break certificates, sign-in links and signatures. */
const SKEW = 30 * SECOND

export function checkClock(status: Status, asked: number, answered: number): Check {
  // The server looked at its clock some time between the two.
  const apart = Math.max(asked - status.time, status.time - answered, 0)
  return apart <= SKEW
    ? good('clock', 'in sync with this machine')
    : bad(
        'clock',
        `the server's clock and this machine's are ${Math.round(apart / SECOND)} seconds apart`,
        'Correct the clock that is wrong: `timedatectl set-ntp true`.',
      )
}

export async function checkBaseUrl({ baseUrl, version }: Status): Promise<Check> {
  const name = 'base URL'
  const hint = 'Set ALOFT_BASE_URL to a URL that people can reach, or fix its DNS record, proxy or firewall.'
  try {
    const answer = await fetch(`${baseUrl}/healthz`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT),
    })
    const body = (await answer.json().catch(() => undefined)) as { version?: unknown } | undefined
    return body?.version === version
      ? good(name, `${baseUrl} can be reached from here`)
      : bad(name, `${baseUrl} returns ${answer.status}, but not from this installation`, hint)
  } catch (error) {
    return bad(name, `${baseUrl} cannot be reached from here: ${reasonOf(error)}`, hint)
  }
}

/** Where TLS is spoken: at the address of the API when that is https, else at the port of the settings. */
export function checkTls(status: Status, host: string, now: number): Promise<Check> | Check {
  const name = 'TLS'
  const url = new URL(status.baseUrl)
  const port = url.protocol === 'https:' ? Number(url.port || 443) : status.ports.tls
  if (port === 0) return good(name, 'off, as configured')
  const servername = url.protocol === 'https:' ? url.hostname : `api.${status.domain}`
  const target = `${url.protocol === 'https:' ? url.hostname : host}:${port}`
  const { promise, resolve } = Promise.withResolvers<Check>()
  const socket = connect({
    host: url.protocol === 'https:' ? url.hostname : host,
    port,
    servername,
    ALPNProtocols: ['h2', 'http/1.1'],
    // Looked at below: a local authority is trusted by nobody, and that is no failure.
    rejectUnauthorized: false,
    timeout: TIMEOUT,
  })
  const fail = (why: string) =>
    resolve(
      bad(
        name,
        `no handshake with ${target}: ${why}`,
        'Check that ALOFT_TLS_PORT is open in the firewall, and that whatever forwards port 443 passes TLS through unchanged.',
      ),
    )
  socket.on('error', (error) => fail(reasonOf(error)))
  socket.on('timeout', () => fail('timed out'))
  socket.on('secureConnect', () => {
    const { valid_to, issuer } = socket.getPeerCertificate()
    const until = Date.parse(valid_to)
    const what = `${target} has a certificate from ${issuer?.O ?? issuer?.CN ?? 'an unknown issuer'} that expires ${relativeTime(until, now)}`
    const trusted = socket.authorized || status.certificates.authority === 'local'
    if (until < now) resolve(bad(name, what, 'It has expired. The server log says why it was not renewed.'))
    else if (!trusted)
      resolve(
        bad(
          name,
          `${what}, which this machine does not trust: ${socket.authorizationError}`,
          'No certificate has been issued for this name yet, or a proxy in between presents its own.',
        ),
      )
    else resolve(good(name, what))
  })
  return promise.finally(() => socket.destroy())
}
