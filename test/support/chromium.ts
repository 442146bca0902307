import { type Browser, chromium } from 'playwright-core'

/** Why tests in a browser are left out, if so. */
export const withoutChromium: string | false =
  (process.env.ALOFT_TEST_MISSING ?? '').includes('chromium') && 'chromium is not installed'

/** A real browser. `hosts` sends names of tests to where the server listens. */
export const openChromium = (hosts?: { readonly names: string; readonly url: string }): Promise<Browser> =>
  chromium.launch({
    executablePath: '/usr/bin/chromium',
    // For those who want to watch.
    headless: process.env.ALOFT_SHOW_BROWSER === undefined,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...(hosts ? [`--host-resolver-rules=MAP ${hosts.names} 127.0.0.1:${new URL(hosts.url).port}`] : []),
    ],
  })
