import { type Endpoint, type Method, methodOf, pathOf } from '#contract/endpoint.ts'

interface KnownPath {
  readonly methods: readonly string[]
  /** Any endpoint of the path: it decides the words of an error. */
  readonly row: Endpoint
}

const ORDER: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Finds which methods a path accepts, for answers to the others. */
export function createPathIndex(rows: readonly Endpoint[]): (path: string) => KnownPath | undefined {
  const patterns = new Map<string, { test: RegExp; methods: Set<Method>; row: Endpoint }>()
  for (const row of rows) {
    const shape = pathOf(row).replace(/:[A-Za-z]+/g, ':')
    const known = patterns.get(shape)
    if (known) known.methods.add(methodOf(row))
    else
      patterns.set(shape, {
        test: new RegExp(`^${shape.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(':', '[^/]+')}$`),
        methods: new Set([methodOf(row)]),
        row,
      })
  }
  return (path) => {
    for (const { test, methods, row } of patterns.values())
      if (test.test(path)) {
        const accepted = new Set<string>(methods)
        if (accepted.has('GET')) accepted.add('HEAD')
        return { methods: ORDER.filter((method) => accepted.has(method)), row }
      }
    return undefined
  }
}
