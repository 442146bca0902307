import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'

/** Why tests in a browser are left out, if so. */
export const withoutChromium: string | false =
  (process.env.ALOFT_TEST_MISSING ?? '').includes('chromium') && 'chromium is not installed'

/** The same browser without the parts that draw windows: a page costs it half the processor time. */
const SHELL = '/usr/lib/chromium/chromium-headless-shell'
/** For those who want to watch. */
const isShown = process.env.ALOFT_SHOW_BROWSER !== undefined

export interface Hosts {
  readonly names: string
  /** Where the server listens. Without it the ports of addresses are what they say. */
  readonly url?: string
}

/** A real browser. `hosts` sends names of tests to this machine. */
export const openChromium = (hosts?: Hosts): Promise<Browser> =>
  chromium.launch({
    executablePath: !isShown && existsSync(SHELL) ? SHELL : '/usr/bin/chromium',
    headless: !isShown,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      // A page of a test is gone before its scripts, compiled for speed, have won back what compiling them costs.
      '--js-flags=--no-opt --no-maglev',
      ...(hosts ? [`--host-resolver-rules=MAP ${hosts.names} ${addressOf(hosts)}`] : []),
    ],
  })

const addressOf = ({ url }: Hosts): string =>
  url === undefined ? '127.0.0.1' : `127.0.0.1:${new URL(url).port}`

/** Where pictures of the pages are put, if anybody wants to look at them. */
const { ALOFT_SCREENSHOTS } = process.env
export const wantsPictures = ALOFT_SCREENSHOTS !== undefined

export async function takePicture(page: Page, name: string): Promise<void> {
  if (ALOFT_SCREENSHOTS !== undefined)
    await page.screenshot({ path: join(ALOFT_SCREENSHOTS, `${name}.png`), fullPage: true })
}
