import { PAGE_LIMIT } from '#contract/page.ts'

interface Asked {
  readonly limit: number
  readonly until?: number
}

interface Answered {
  readonly pagination: { readonly next: number | null }
}

/** All that a list has, however many pages it comes in. */
export async function everyPage<Page extends Answered, T>(
  ask: (query: Asked) => Promise<Page>,
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
