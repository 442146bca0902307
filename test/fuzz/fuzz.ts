import { Random } from './random.ts'

/** Something that takes input of strangers. */
export interface Target {
  readonly name: string
  /** Gives it one input that chance has made; throws where the answer is not as it should be. */
  readonly once: (random: Random) => unknown
  readonly close?: () => unknown
}

interface Finding {
  readonly target: string
  readonly round: number
  readonly error: unknown
}

/** No input may take so long, however busy the machine is. */
const LONGEST_MS = 20_000

interface Plan {
  readonly seed: number
  /** Rounds of each target; without it, until the time is over. */
  readonly rounds?: number
  readonly until?: number
  /** One round alone, to see it again. */
  readonly only?: number
}

/** Targets take turns. Each round has a chance of its own, made of the seed, the name and the number of the round. */
export async function fuzz(
  targets: readonly Target[],
  { seed, rounds = Number.POSITIVE_INFINITY, until = Number.POSITIVE_INFINITY, only }: Plan,
): Promise<{ readonly counts: ReadonlyMap<string, number>; readonly findings: readonly Finding[] }> {
  const counts = new Map<string, number>()
  const findings: Finding[] = []
  const going = new Set(targets)
  for (let round = only ?? 0; round < rounds && Date.now() < until && going.size > 0; round++) {
    for (const target of going) {
      const began = performance.now()
      try {
        await target.once(new Random(seed, target.name, round))
        const took = performance.now() - began
        if (took > LONGEST_MS) throw new Error(`it took ${Math.round(took)} ms`)
      } catch (error) {
        findings.push({ target: target.name, round, error })
        // One of a kind is enough for a run.
        going.delete(target)
      }
      counts.set(target.name, (counts.get(target.name) ?? 0) + 1)
    }
    if (only !== undefined) break
  }
  return { counts, findings }
}
