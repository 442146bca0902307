/** What was put at an address, and what the address says where the pattern has a name. */
interface RouteMatch<T> {
  readonly value: T
  readonly params: Readonly<Record<string, string>>
}

interface Router<T> {
  /** By the method and the address as they were asked for. Throws a URIError where that is no address at all. */
  find(method: string, url: string): RouteMatch<T> | undefined
}

interface Leaf<T> {
  readonly value: T
  readonly names: readonly string[]
}

interface RouterNode<T> {
  readonly next: Map<string, RouterNode<T>>
  named?: RouterNode<T>
  leaf?: Leaf<T>
}

/** Longer than any id, name or digest; whoever asks for more is not looking for anything. */
const LONGEST = 4096
const PART = /^(:[A-Za-z]+|[\w.~-]*)$/

/**
 * Finds what is at an address, among `METHOD /path/:name`. A word goes before a name, and what is asked with a slash at its
 * end is the same without. Putting together a table of many hundred rows takes two milliseconds, of which every start has the
 * cost; the router of Fastify compiles functions for each row, which took two hundred.
 */
export function createRouter<T>(rows: Iterable<readonly [on: string, value: T]>): Router<T> {
  const methods = new Map<string, RouterNode<T>>()
  for (const [on, value] of rows) {
    const [method = '', path = ''] = on.split(' ')
    let place: RouterNode<T> = methods.get(method) ?? { next: new Map() }
    methods.set(method, place)
    const names: string[] = []
    for (const part of path.slice(1).split('/')) {
      if (!PART.test(part)) throw new Error(`${on} has a part that the router does not know: ${part}`)
      if (part.startsWith(':')) names.push(part.slice(1))
      place = part.startsWith(':') ? namedPlace(place) : nextPlace(place, part)
    }
    if (place.leaf) throw new Error(`${on} is in the table twice`)
    place.leaf = { value, names }
  }
  return {
    find(method, url) {
      const start = methods.get(method) ?? (method === 'HEAD' ? methods.get('GET') : undefined)
      if (!start) return undefined
      const values: string[] = []
      const leaf = match(start, partsOf(url), 0, values)
      if (leaf === TOO_LONG) throw new URIError('a part of the path is too long')
      if (!leaf) return undefined
      const params: Record<string, string> = {}
      for (let n = 0; n < values.length; n++) params[leaf.names[n] as string] = values[n] as string
      return { value: leaf.value, params }
    },
  }
}

const namedPlace = <T>(place: RouterNode<T>): RouterNode<T> => {
  place.named ??= { next: new Map() }
  return place.named
}

function nextPlace<T>(place: RouterNode<T>, part: string): RouterNode<T> {
  const known = place.next.get(part)
  if (known) return known
  const made: RouterNode<T> = { next: new Map() }
  place.next.set(part, made)
  return made
}

/** There would be something, if a part were not longer than any name. */
const TOO_LONG = 'too long'

function match<T>(
  place: RouterNode<T>,
  parts: readonly string[],
  at: number,
  values: string[],
): Leaf<T> | typeof TOO_LONG | undefined {
  if (at === parts.length) return place.leaf
  const part = parts[at] as string
  const next = place.next.get(part)
  const found = next && match(next, parts, at + 1, values)
  if ((found && found !== TOO_LONG) || !place.named) return found
  if (part.length > LONGEST) return TOO_LONG
  values.push(part)
  const named = match(place.named, parts, at + 1, values)
  if (!named || named === TOO_LONG) values.pop()
  return named ?? found
}

/** The parts of a path, decoded each for itself: a slash that was encoded is part of a name. */
function partsOf(url: string): string[] {
  let path = url
  if (path[0] !== '/') path = path.replace(/^https?:\/\/[^/?]*/i, '')
  const end = path.search(/[?#]/)
  if (end !== -1) path = path.slice(0, end)
  if (path.length > 1 && path.endsWith('/')) path = path.slice(0, -1)
  const parts = path.slice(1).split('/')
  return path.includes('%') ? parts.map(decodeURIComponent) : parts
}
