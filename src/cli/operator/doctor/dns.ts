import { randomBytes } from 'node:crypto'
import { lookup, Resolver } from 'node:dns/promises'
import { connect } from 'node:net'
import { bracketed } from '#contract/address-in-url.ts'
import { isLocalName } from '#contract/local-name.ts'
import type { Status } from '../status.ts'
import { bad, type Check, good, reasonOf, TIMEOUT } from './check.ts'

/** A name that nobody has asked for before, so that no cache answers. */
const someName = (domain: string): string => `doctor-${randomBytes(4).toString('hex')}.${domain}`

const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  [...a].sort().join() === [...b].sort().join()

const resolver = (): Resolver => new Resolver({ timeout: TIMEOUT / 2, tries: 2 })

async function addresses(from: Resolver, name: string): Promise<string[]> {
  const found = await Promise.allSettled([from.resolve4(name), from.resolve6(name)])
  const all = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  if (all.length === 0 && found[0].status === 'rejected') throw found[0].reason
  return all
}

/** The server itself, over UDP and TCP. */
export async function checkDnsServer(status: Status, host: string): Promise<readonly Check[]> {
  const name = 'DNS server'
  const { dns } = status.ports
  if (dns === 0) return [good(name, 'off, as configured')]
  if (isLocalName(status.domain))
    return [good(name, 'not authoritative for any domain, because ALOFT_DOMAIN is localhost')]
  const hint = `Open port ${dns} for UDP and TCP in the firewall, and check whether another program uses it.`
  try {
    const { address } = await lookup(host)
    const server = `${bracketed(address)}:${dns}`
    const asked = resolver()
    asked.setServers([server])
    const found = await addresses(asked, someName(status.domain))
    const udp = sameSet(found, status.addresses)
      ? good(name, `${server} answers`)
      : bad(name, `${server} answers ${found.join(', ')}`, 'Another DNS server uses the port. Stop it.')
    return [udp, await checkTcp(address, dns, hint)]
  } catch (error) {
    return [bad(name, `no answer over UDP from ${host} port ${dns}: ${reasonOf(error)}`, hint)]
  }
}

function checkTcp(host: string, port: number, hint: string): Promise<Check> {
  const name = 'DNS over TCP'
  const { promise, resolve } = Promise.withResolvers<Check>()
  const socket = connect({ host, port, timeout: TIMEOUT })
  const fail = (why: string) => resolve(bad(name, `${host} port ${port} cannot be reached: ${why}`, hint))
  socket.on('connect', () => resolve(good(name, `${host} port ${port} is open`)))
  socket.on('error', (error) => fail(reasonOf(error)))
  socket.on('timeout', () => fail('timed out'))
  return promise.finally(() => socket.destroy())
}

/** What the world says of the names that deployments get. */
export async function checkWildcard(status: Status): Promise<Check> {
  const name = 'wildcard DNS'
  const { domain } = status
  if (isLocalName(status.domain)) return good(name, 'not needed for localhost')
  const hint = `Delegate ${domain} to ${status.nameservers.join(' and ')}, or add records for *.${domain} that point to ${status.addresses.join(', ')}.`
  try {
    const found = await addresses(resolver(), someName(domain))
    return found.some((address) => status.addresses.includes(address))
      ? good(name, `*.${domain} resolves to ${found.join(', ')}`)
      : bad(
          name,
          `*.${domain} resolves to ${found.join(', ')}, but ALOFT_PUBLIC_ADDRESSES is ${status.addresses.join(', ')}`,
          hint,
        )
  } catch (error) {
    return bad(name, `*.${domain} does not resolve: ${reasonOf(error)}`, hint)
  }
}

/** Wildcard certificates of a public authority are shown by DNS alone. */
export async function checkDelegation(status: Status): Promise<Check | undefined> {
  if (status.certificates.authority === 'local' || isLocalName(status.domain)) return undefined
  const name = 'delegation'
  const { domain, nameservers } = status
  const found = await resolver()
    .resolveNs(domain)
    .catch(() => [])
  return found.some((server) => nameservers.includes(server.toLowerCase()))
    ? good(name, `${domain} is delegated to ${found.join(', ')}`)
    : bad(
        name,
        `${domain} is not delegated to this installation, so no public authority can issue a certificate for *.${domain}`,
        `In the parent zone, add NS records for ${domain} that point to ${nameservers.join(' and ')}.`,
      )
}
