import { MINUTE } from '#contract/time.ts'
import { networkOf } from '#core/access/network-of.ts'
import type { Clock } from '#core/ports/clock.ts'

/**
 * How many certificates are made for names that were asked for, within each minute. What is made once is kept, so only
 * somebody who asks for ever other names comes to the end of it, and is served the default certificate meanwhile.
 */
interface MintLimit {
  /** Whether a name that is not known is looked for; asking in vain uses up nobody else's. */
  mayAsk(source: string): boolean
  /** Whether one more is made, for whomever. */
  mayMint(): boolean
}

/** More than a person opens by hand and a page embeds; a key takes about a millisecond of CPU. */
const OF_NETWORK = 60
const OF_ALL = 600
const MOST_NETWORKS = 10_000

export function createMintLimit(clock: Clock): MintLimit {
  let begun = clock.monotonic()
  let minted = 0
  let asked = new Map<string, number>()
  const beginMinute = () => {
    if (clock.monotonic() - begun < MINUTE) return
    begun = clock.monotonic()
    minted = 0
    asked = new Map()
  }
  return {
    mayAsk(source) {
      beginMinute()
      const network = networkOf(source)
      const count = asked.get(network) ?? 0
      if (count >= OF_NETWORK) return false
      if (asked.size >= MOST_NETWORKS) asked = new Map()
      asked.set(network, count + 1)
      return true
    },
    mayMint() {
      beginMinute()
      return ++minted <= OF_ALL
    },
  }
}
