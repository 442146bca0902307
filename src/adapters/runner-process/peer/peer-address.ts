import { lookup as lookUp } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { withoutBrackets } from '#contract/address-in-url.ts'

/** Where a machine listens, as it says itself: `address:port` or `name:port`. */
interface Endpoint {
  readonly host: string
  readonly port: number
}

export function readEndpoint(text: string): Endpoint {
  const { hostname, port } = new URL(`tls://${text}`)
  return { host: withoutBrackets(hostname), port: Number(port) }
}

type LookUp = (name: string) => Promise<readonly string[]>

const addressesOf: LookUp = async (name) =>
  (await lookUp(name, { all: true, order: 'verbatim' })).map(({ address }) => address)

/** A resolver that takes longer changes nothing for now. */
const TIMEOUT_MS = 2000

/**
 * The address that a machine has now. A name may lead elsewhere than it did; while it still leads to the address that is in use, that
 * one stays, and so it does while nobody answers. Undefined where none is known.
 */
export async function addressNow(
  { host }: Endpoint,
  inUse: string | undefined,
  look: LookUp = addressesOf,
): Promise<string | undefined> {
  if (isIP(host) !== 0) return host
  const found = await Promise.race([
    look(host).catch((): readonly string[] => []),
    pause(TIMEOUT_MS, [] as readonly string[], { ref: false }),
  ])
  return inUse !== undefined && (found.length === 0 || found.includes(inUse)) ? inUse : found[0]
}
