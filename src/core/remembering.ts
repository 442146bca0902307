/**
 * The same function, for texts of which few different ones come: each is worked out once. All are forgotten when there are
 * `most` of them, and those that are longer than `longest` at once, so that nobody fills the memory with texts they invent.
 */
export function remembering<T>(
  work: (text: string) => T,
  { most, longest = Number.POSITIVE_INFINITY }: { readonly most: number; readonly longest?: number },
): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    let result = known.get(text)
    if (result === undefined) {
      result = work(text)
      if (known.size >= most) known.clear()
      if (text.length <= longest) known.set(text, result)
    }
    return result
  }
}
