/**
 * Goes on with a value, at once where it is there. What is in memory is thus answered within the call that asks for
 * it, with nothing in between.
 */
export function andThen<A, B>(value: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Asks one after the other, until one has something to say. */
export function firstOf<V, R>(
  steps: readonly ((visit: V) => R | undefined | Promise<R | undefined>)[],
  visit: V,
  from = 0,
): R | undefined | Promise<R | undefined> {
  for (let i = from; i < steps.length; i++) {
    const said = (steps[i] as (typeof steps)[number])(visit)
    if (said instanceof Promise) return said.then((result) => result ?? firstOf(steps, visit, i + 1))
    if (said !== undefined) return said
  }
  return undefined
}
