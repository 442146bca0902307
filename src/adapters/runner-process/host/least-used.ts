/** An instance, as far as it matters who has to make room. */
export interface Held {
  readonly ownerId: string
  readonly idleSince: number
}

/**
 * Whose room is taken first: of the account that holds the most, what has had nothing to do for longest. So one account
 * with many instances never costs another its few.
 */
export function leastUsed<T extends Held>(idle: readonly T[], all: readonly Held[]): T | undefined {
  const held = new Map<string, number>()
  for (const { ownerId } of all) held.set(ownerId, (held.get(ownerId) ?? 0) + 1)
  const heldBy = ({ ownerId }: Held) => held.get(ownerId) ?? 0
  return idle.toSorted((a, b) => heldBy(b) - heldBy(a) || a.idleSince - b.idleSince)[0]
}

/** Below this much of its memory a machine begins to swap or to kill, whoever is at fault. */
const KEPT_FREE = 0.08
const LEAST_FREE = 192 * 2 ** 20

export const isMemoryShort = ({
  available,
  total,
}: {
  readonly available: number
  readonly total: number
}): boolean => available < Math.min(Math.max(total * KEPT_FREE, LEAST_FREE), total / 2)
