/** A deployment with its place in the history of production; without one it was never there. */
interface ProductionEntry {
  readonly liveAt?: number | undefined
}

/** Whether one was in production before another: showing it again is a rollback, everything else a promotion. */
export const wasLiveBefore = ({ liveAt }: ProductionEntry, { liveAt: other }: ProductionEntry): boolean =>
  liveAt !== undefined && other !== undefined && liveAt < other

/** What production showed before the one that is live; undefined where there is none among these. */
export const previousOf = <D extends ProductionEntry>(
  live: ProductionEntry,
  deployments: readonly D[],
): D | undefined =>
  deployments
    .filter((deployment) => wasLiveBefore(deployment, live))
    .toSorted((a, b) => (b.liveAt ?? 0) - (a.liveAt ?? 0))[0]

/** Enough to find it among the newest, previews included: any of them may have been promoted. */
export const HISTORY = 100
