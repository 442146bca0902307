import { setTimeout as pause } from 'node:timers/promises'

/** What one question about a name was answered with, and from when until when it was under way. */
export interface Observation {
  readonly from: number
  readonly to: number
  readonly is: 'wanted' | 'other' | 'silent' | 'away'
}

interface NameWatch {
  readonly looks: readonly Observation[]
  /** Once the machine has shown what is wanted several times in a row, or is away. */
  settled(ms: number): Promise<void>
  stop(): void
}

const EVERY_MS = 20
/** More than a machine has processes, so that most likely each of them was asked. */
const IN_A_ROW = 6

/** How often each answer was seen, and what came last: one that says nothing is another trouble than one that is wrong. */
function summaryOf(looks: readonly Observation[]): string {
  const counts = Map.groupBy(looks, ({ is }) => is)
  const last = looks.slice(-IN_A_ROW).map(({ is, from, to }) => `${is} (${Math.round(to - from)} ms)`)
  return `${[...counts].map(([is, all]) => `${all.length} ${is}`).join(', ')}; at last ${last.join(', ')}`
}

/** Looks again and again at what a machine shows under a name. */
export function watchName(look: () => Promise<Observation['is']>): NameWatch {
  const looks: Observation[] = []
  const done = Promise.withResolvers<void>()
  let isOver = false
  let row = 0
  const watch = async () => {
    while (!isOver) {
      const from = performance.now()
      const is = await look()
      looks.push({ from, to: performance.now(), is })
      row = is === 'wanted' || is === 'away' ? row + 1 : 0
      if (row >= IN_A_ROW) return done.resolve()
      await pause(EVERY_MS)
    }
  }
  watch().catch(done.reject)
  return {
    looks,
    async settled(ms) {
      const late = AbortSignal.timeout(ms)
      const tooLate = new Promise<never>((_, reject) =>
        late.addEventListener('abort', () =>
          reject(new Error(`never showed what it was moved to: ${summaryOf(looks)}`)),
        ),
      )
      await Promise.race([done.promise, tooLate])
    },
    stop() {
      isOver = true
    },
  }
}
