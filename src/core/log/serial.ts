/**
 * An entry's place in the log: milliseconds and a six-digit counter, written as one decimal number.
 * The store gives serials out while it writes, higher than all there are: so the order of serials is the
 * order in which entries became visible, on whatever process they were taken, and whoever has seen one
 * misses nothing by asking for those after it.
 */
export const COUNTS = 1_000_000
const WIDE_COUNTS = BigInt(COUNTS)
/** Serials are 64 bits wide. */
const LATEST = 9_223_372_036_854

/** The lowest serial that an entry of this time can have. */
export const firstSerialOf = (ms: number): bigint => BigInt(Math.min(ms, LATEST)) * WIDE_COUNTS

export const timeOfSerial = (serial: string): number => Number(BigInt(serial) / WIDE_COUNTS)

/** The serial of an entry taken at this time, after the last one that was given out. */
export const serialAfter = (last: bigint, ms: number): bigint => {
  const first = firstSerialOf(ms)
  return first > last ? first : last + 1n
}
