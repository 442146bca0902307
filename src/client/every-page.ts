import { PAGE_LIMIT } from '#contract/page.ts'

interface PageRequest {
  readonly limit: number
  readonly until?: number
}

interface PagedReply {
  readonly pagination: { readonly next: number | null }
}

/** All that a list has, however many pages it comes in. */
export async function everyPage<Page extends PagedReply, T>(
  ask: (query: PageRequest) => Promise<Page>,
  itemsOf: (page: Page) => readonly T[],
): Promise<readonly T[]> {
  const found: T[] = []
  for (let until: number | undefined; ; ) {
    const page = await ask({ limit: PAGE_LIMIT.max, ...(until === undefined ? {} : { until }) })
    found.push(...itemsOf(page))
    const { next } = page.pagination
    if (next === null) return found
    until = next
  }
}
