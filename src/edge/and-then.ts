/**
 * Goes on with a value, at once where it is there. What is in memory is thus answered within the call that asks for
 * it, with nothing in between.
 */
export function andThen<A, B>(value: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> {
  return value instanceof Promise ? value.then(next) : next(value)
}
