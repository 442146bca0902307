import type { Page } from 'playwright-core'

/** Keeps requests to such addresses waiting until the answer is called, to look at what a page shows meanwhile. */
export async function hold(page: Page, url: string): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    await promise
    await route.continue()
  })
  return async () => {
    resolve()
    await page.unroute(url)
  }
}
