import { randomBytes } from 'node:crypto'
import { HOUR, MINUTE } from '#contract/time.ts'
import type { TicketKey, TicketKeys } from '#listener/ticket-key.ts'
import type { Parts } from '../compose/parts.ts'
import { ensureSealed, type Sealing } from './authority.ts'

/** A key that is stolen opens the recorded sessions of this time and of the time before, and no others. */
const PERIOD = 12 * HOUR
const LOOK_MS = MINUTE
/** Times before, 30 days of them, whose keys are looked for. */
const FORGOTTEN = 60
const BYTES = 48
/** No time at all: the next look finds that it has changed. */
const UNKNOWN = -1

export const ticketKeyOf = (bytes: Buffer): TicketKey => ({
  name: bytes.subarray(0, 16),
  hmac: bytes.subarray(16, 32),
  aes: bytes.subarray(32, BYTES),
})

const nameOf = (period: number): string => `tls-ticket-keys-${period}`

/**
 * Keys that all serving processes share, so that a session resumes on whichever takes the next connection. Each is made
 * at random when its time begins, and forgotten when the time after it is over.
 */
export async function openTicketKeys(
  parts: Sealing & Pick<Parts, 'clock' | 'log'>,
): Promise<{ readonly keys: TicketKeys; look(): Promise<void>; close(): void }> {
  const { clock, log, stores } = parts
  const periodNow = () => Math.floor(clock.now() / PERIOD)
  const make = async () => randomBytes(BYTES).toString('base64')
  const key = async (period: number) =>
    ticketKeyOf(Buffer.from(await ensureSealed(parts, nameOf(period), make), 'base64'))

  async function load(period: number): Promise<readonly [TicketKey, ...TicketKey[]]> {
    const known = await stores.settings.get(nameOf(period - 1))
    // Not only the last: nobody was there to forget those of a time in which everything was off.
    for (let past = period - 2; past > period - 2 - FORGOTTEN; past--) {
      const old = await stores.settings.get(nameOf(past))
      if (old !== undefined) await stores.settings.take(nameOf(past), old)
    }
    return [await key(period), ...(known === undefined ? [] : [await key(period - 1)])]
  }

  let period = periodNow()
  let keys = await load(period).catch(async (err: unknown): Promise<readonly [TicketKey, ...TicketKey[]]> => {
    // Sessions of other processes are not resumed until the next look; visitors shake hands anew.
    log.warn({ err }, 'TLS session keys cannot be read')
    period = UNKNOWN
    return [ticketKeyOf(randomBytes(BYTES))]
  })
  const renewKeys = async () => {
    const now = periodNow()
    if (now === period) return
    keys = await load(now)
    period = now
  }
  const timer = setInterval(
    () => void renewKeys().catch((err) => log.error({ err }, 'TLS session keys could not be renewed')),
    LOOK_MS,
  ).unref()
  return { keys: () => keys, look: renewKeys, close: () => clearInterval(timer) }
}
