/** What is at a name; undefined: nothing. */
export type Value = string | undefined

/**
 * What an installation has acknowledged. A change that was asked for and not answered may have happened or not: both are
 * right until somebody looks, and from then on what was seen is.
 */
export class Model {
  readonly #allowed = new Map<string, Set<Value>>()
  readonly #uncertain = new Set<string>()

  /** Whether it is known what is there, so that it may be changed. */
  isCertain(key: string): boolean {
    return !this.#uncertain.has(key)
  }

  /** What is there; only of what is certain. */
  get(key: string): Value {
    const [value] = this.#allowed.get(key) ?? [undefined]
    return value
  }

  keys(prefix: string): string[] {
    return [...this.#allowed.keys()].filter((key) => key.startsWith(prefix))
  }

  /** A change is asked for. Answers what to say once it is acknowledged. */
  begin(key: string, value: Value): () => void {
    const before = this.#allowed.get(key) ?? new Set([undefined])
    this.#allowed.set(key, new Set([...before, value]))
    this.#uncertain.add(key)
    return () => {
      this.#allowed.set(key, new Set([value]))
      this.#uncertain.delete(key)
    }
  }

  /** Those of which nobody knows whether their last change happened, and what they may be. */
  uncertain(prefix: string): [key: string, allowed: ReadonlySet<Value>][] {
    const keys = [...this.#uncertain].filter((key) => key.startsWith(prefix))
    return keys.map((key) => [key, this.#allowed.get(key) ?? new Set()])
  }

  /** Whether a change that was not answered has happened is known now. What it may not be is left to be found wrong. */
  decide(key: string, value: Value): void {
    if (this.#allowed.get(key)?.has(value)) this.#allowed.set(key, new Set([value]))
  }

  /** Whether all that was found may be so. */
  allows(found: ReadonlyMap<string, string>): boolean {
    return [...this.#allowed].every(([key, allowed]) => allowed.has(found.get(key)))
  }

  /** Compares with what was found, which is from now on what is there. Answers what is wrong, in words. */
  settle(found: ReadonlyMap<string, string>): string[] {
    const wrong: string[] = []
    for (const [key, allowed] of this.#allowed) {
      const seen = found.get(key)
      if (!allowed.has(seen))
        wrong.push(`${key} is ${show(seen)}, and should be ${[...allowed].map(show).join(' or ')}`)
      if (seen === undefined) this.#allowed.delete(key)
      else this.#allowed.set(key, new Set([seen]))
    }
    for (const [key, seen] of found)
      if (!this.#allowed.has(key)) wrong.push(`${key} is ${show(seen)}, and nobody has made it`)
    this.#uncertain.clear()
    return wrong
  }
}

const show = (value: Value): string => (value === undefined ? 'not there' : JSON.stringify(value))
