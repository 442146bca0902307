/** That what was made with one of these tags is not right any more. */
export interface Revalidation {
  readonly tags: readonly string[]
  /** When it was said, in milliseconds. */
  readonly at: number
  /** Seconds from then on for which visitors may still be given what was made before; absent: none. */
  readonly expire?: number
}

/** In the place of a tag: everything that a deployment has. */
export const EVERYTHING = '*'

/** The message is the id of the deployment whose kept answers or revalidations changed. */
export const REVALIDATIONS_TOPIC = 'revalidations'

/** Of one deployment; what is more is revalidated as a whole. */
const MAX_TAGS = 1000
const MAX_TAG = 256
const MAX_EXPIRE = 10 * 365 * 86_400

/** When a tag was revalidated: what was made until `hard` is not used, what was made until `soft` is made anew. */
interface Times {
  hard: number
  soft: number
  /** From when on `soft` counts as `hard`. */
  softEnds: number
}

const NEVER: Readonly<Times> = { hard: 0, soft: 0, softEnds: Number.POSITIVE_INFINITY }

/** What became of something that was made with tags. */
export interface TagState {
  readonly kind: 'fresh' | 'stale' | 'expired'
  /** When that was said. */
  readonly at: number
}

const FRESH: TagState = { kind: 'fresh', at: 0 }

/** All revalidations of a deployment. */
export class RevalidatedTags {
  readonly #tags = new Map<string, Times>()

  get size(): number {
    return this.#tags.size
  }

  add({ tags, at, expire }: Revalidation): void {
    const known = tags.filter((tag) => tag.length <= MAX_TAG)
    for (const tag of known) {
      const times = this.#tags.get(tag) ?? { ...NEVER }
      if (expire === undefined) times.hard = Math.max(times.hard, at)
      else if (at >= times.soft) Object.assign(times, { soft: at, softEnds: at + expire * 1000 })
      this.#tags.set(tag, times)
    }
    if (this.#tags.size > MAX_TAGS) this.#joinAll()
  }

  /** The state of something with these tags that was made at a time. */
  stateOf(tags: readonly string[], madeAt: number, now: number): TagState {
    let state = FRESH
    for (const tag of [...tags, EVERYTHING]) {
      const { hard, soft, softEnds } = this.#tags.get(tag) ?? NEVER
      const at = Math.max(hard, soft)
      if (madeAt > at || at === 0) continue
      const isExpired = state.kind === 'expired' || madeAt <= hard || (madeAt <= soft && now >= softEnds)
      state = { kind: isExpired ? 'expired' : 'stale', at: Math.max(at, state.at) }
    }
    return state
  }

  /** Each tag with the time of its last revalidation. */
  *times(): Generator<[string, number]> {
    for (const [tag, { hard, soft }] of this.#tags) yield [tag, Math.max(hard, soft)]
  }

  /** The fewest revalidations that say the same. */
  *revalidations(): Generator<Revalidation> {
    for (const [tag, { hard, soft, softEnds }] of this.#tags) {
      if (hard > 0) yield { tags: [tag], at: hard }
      if (soft > 0) yield { tags: [tag], at: soft, expire: (softEnds - soft) / 1000 }
    }
  }

  #joinAll(): void {
    const last = Math.max(...[...this.times()].map(([, at]) => at))
    this.#tags.clear()
    this.#tags.set(EVERYTHING, { ...NEVER, hard: last })
  }
}

/** As a program says it in the header of an answer: `expire=60&tag=a&tag=b,tag=c`. */
export function readRevalidations(text: string, at: number): readonly Revalidation[] {
  return text.split(',').flatMap((part): readonly Revalidation[] => {
    const parameters = new URLSearchParams(part)
    const tags = parameters.getAll('tag').filter((tag) => tag !== '' && tag.length <= MAX_TAG)
    const expire = Number(parameters.get('expire') ?? 0)
    const isSoft = Number.isFinite(expire) && expire > 0
    return tags.length === 0
      ? []
      : [{ tags, at, ...(isSoft ? { expire: Math.min(expire, MAX_EXPIRE) } : {}) }]
  })
}
