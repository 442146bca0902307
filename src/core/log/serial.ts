/**
 * An entry's place in the log: milliseconds and a six-digit counter, written as one decimal number.
 * The store gives serials out while it writes, higher than all there are: so the order of serials is the
 * order in which entries became visible, on whatever process they were taken, and whoever has seen one
 * misses nothing by asking for those after it.
 */
const COUNTS = 1_000_000n
/** Serials are 64 bits wide. */
const LATEST = 9_223_372_036_854

/** The lowest serial that an entry of this time can have. */
export const firstSerialOf = (ms: number): bigint => BigInt(Math.min(ms, LATEST)) * COUNTS

export const timeOfSerial = (serial: string): number => Number(BigInt(serial) / COUNTS)

/** Serials for entries taken at these times, in their order, after the last that is in the log. */
export function nextSerials(last: bigint, takenAt: readonly number[]): bigint[] {
  let previous = last
  return takenAt.map((ms) => {
    const first = firstSerialOf(ms)
    previous = first > previous ? first : previous + 1n
    return previous
  })
}
