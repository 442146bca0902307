/** An instance, as far as it matters who has to make room. */
interface RunningInstance {
  readonly ownerId: string
  readonly idleSince: number
  readonly memoryMb: number
}

/** How much memory the instances of each account may take together. */
function memoryByOwner(all: readonly Pick<RunningInstance, 'ownerId' | 'memoryMb'>[]): Map<string, number> {
  const held = new Map<string, number>()
  for (const { ownerId, memoryMb } of all) held.set(ownerId, (held.get(ownerId) ?? 0) + memoryMb)
  return held
}

/**
 * Whose room is taken first: of the account that holds the most, what has had nothing to do for longest. So one account
 * with many or large instances never costs another its few. `asker` only ever takes from itself, or from an account that
 * holds more than it does.
 */
export function leastUsed<T extends RunningInstance>(
  idle: readonly T[],
  all: readonly RunningInstance[],
  asker?: string,
): T | undefined {
  const held = memoryByOwner(all)
  const heldBy = (ownerId: string) => held.get(ownerId) ?? 0
  const mayTake = ({ ownerId }: RunningInstance) =>
    asker === undefined || ownerId === asker || heldBy(ownerId) > heldBy(asker)
  return idle
    .filter(mayTake)
    .toSorted((a, b) => heldBy(b.ownerId) - heldBy(a.ownerId) || a.idleSince - b.idleSince)[0]
}
