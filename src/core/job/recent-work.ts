import { HOUR } from '#contract/time.ts'

/** After this long, half of what somebody used is forgotten. */
const HALF_LIFE = HOUR
const MOST_SHARES = 10_000
/** How much of what is usual the latest job decides. */
const NEWEST = 0.2

interface Used {
  readonly ms: number
  readonly at: number
}

/** How long the jobs of each share took of late, so that whoever used the least comes first. */
export class RecentWork {
  readonly #used = new Map<string, Used>()
  #usual: number | undefined

  add(share: string, ms: number, now: number): void {
    this.#usual = this.#usual === undefined ? ms : this.#usual + NEWEST * (ms - this.#usual)
    if (this.#used.size >= MOST_SHARES) this.#used.clear()
    this.#used.set(share, { ms: this.of(share, now) + ms, at: now })
  }

  of(share: string, now: number): number {
    const used = this.#used.get(share)
    return used ? used.ms * 0.5 ** ((now - used.at) / HALF_LIFE) : 0
  }

  /** Milliseconds that a job takes as a rule; undefined before the first one has ended. */
  get usual(): number | undefined {
    return this.#usual
  }
}

/** In which order waiting jobs will be begun: each share has one in turn, and its own keep their order. */
export function inTurns<T extends { readonly share: string }>(
  jobs: readonly T[],
  shares: readonly string[],
): readonly T[] {
  const nth = new Map<string, number>()
  const ranked = jobs.map((job) => {
    const round = nth.get(job.share) ?? 0
    nth.set(job.share, round + 1)
    return { job, round, place: shares.indexOf(job.share) }
  })
  return ranked.toSorted((a, b) => a.round - b.round || a.place - b.place).map(({ job }) => job)
}
