import type { Prerender } from '#core/output/output.ts'

/** The parameters of a query that make a different answer, in a fixed order. */
export function allowedQuery(query: string, { allowQuery }: Pick<Prerender, 'allowQuery'>): string {
  if (query === '' || allowQuery?.length === 0) return ''
  const parameters = new URLSearchParams(query)
  if (allowQuery !== undefined)
    for (const name of new Set(parameters.keys())) if (!allowQuery.includes(name)) parameters.delete(name)
  parameters.sort()
  return parameters.toString()
}
