import type { Page } from 'playwright-core'

/** Keeps the next request to such an address waiting until the answer is called, to look at what a page shows meanwhile. */
export async function holdRequest(page: Page, url: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const goOn = async (route: Parameters<Parameters<Page['route']>[1]>[0]) => {
    await promise
    await route.continue()
  }
  await page.route(url, goOn, { times: 1 })
  return resolve
}
