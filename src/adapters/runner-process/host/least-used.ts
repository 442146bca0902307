/** An instance, or what is kept for some, as far as it matters who has to make room. */
interface RoomTaken {
  readonly ownerId: string
  readonly idleSince: number
  /** Of the memory or of the disk. */
  readonly size: number
}

/** How much each account holds. */
function sizeByOwner(all: readonly RoomTaken[]): Map<string, number> {
  const held = new Map<string, number>()
  for (const { ownerId, size } of all) held.set(ownerId, (held.get(ownerId) ?? 0) + size)
  return held
}

/**
 * Whose room is taken first: of the account that holds the most, what has had nothing to do for longest. So one account
 * with many or large instances never costs another its few. `asker` only ever takes from itself, or from an account that
 * holds more than it does.
 */
export function leastUsed<T extends RoomTaken>(
  idle: readonly T[],
  all: readonly RoomTaken[],
  asker?: string,
): T | undefined {
  const held = sizeByOwner(all)
  const heldBy = (ownerId: string) => held.get(ownerId) ?? 0
  const mayTake = ({ ownerId }: RoomTaken) =>
    asker === undefined || ownerId === asker || heldBy(ownerId) > heldBy(asker)
  return idle
    .filter(mayTake)
    .toSorted((a, b) => heldBy(b.ownerId) - heldBy(a.ownerId) || a.idleSince - b.idleSince)[0]
}
