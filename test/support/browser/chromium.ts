import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'

/** Why tests in a browser are left out, if so. */
export const withoutChromium: string | false =
  (process.env.ALOFT_TEST_MISSING ?? '').includes('chromium') && 'chromium is not installed'

/** The same browser without the parts that draw windows: a page costs it half the processor time. */
const SHELL = '/usr/lib/chromium/chromium-headless-shell'
/** For those who want to watch. */
const isShown = process.env.ALOFT_SHOW_BROWSER !== undefined

interface Hosts {
  readonly names: string
  /** Where the server listens. Without it the ports of addresses are what they say. */
  readonly url?: string
}

/** A real browser. `hosts` sends names of tests to this machine, `more` are words of its own command line. */
export const openChromium = (hosts?: Hosts, more: readonly string[] = []): Promise<Browser> =>
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
      ...more,
      ...(hosts ? [`--host-resolver-rules=MAP ${hosts.names} ${addressOf(hosts)}`] : []),
    ],
  })

const addressOf = ({ url }: Hosts): string =>
  url === undefined ? '127.0.0.1' : `127.0.0.1:${new URL(url).port}`

/** A browser that all files of a process have, one after the other. */
interface Shared {
  readonly browser: Browser
  /** Where names of tests lead to: the server of the file that has it now. */
  leadTo(port: number): void
}

interface Borrowed {
  readonly browser: Browser
  /** For the next file. It ends with the pages in it when there is none. */
  giveBack(): void
}

/** Less than this passes between two files of a process. */
const UNUSED_MS = 1500

let shared: Promise<Shared> | undefined
let ending: NodeJS.Timeout | undefined

/**
 * A browser in which all names below `test` are those of the server at this address. To start one costs more than half a
 * second of processor time, and its first page takes three times as long as later ones, so it stays for the next file.
 */
export async function borrowChromium(url: string): Promise<Borrowed> {
  clearTimeout(ending)
  shared ??= startShared()
  const { browser, leadTo } = await shared
  leadTo(Number(new URL(url).port))
  return {
    browser,
    giveBack() {
      ending = setTimeout(() => {
        shared = undefined
        void browser.close()
      }, UNUSED_MS)
    },
  }
}

/**
 * All pages in one process. Otherwise there is a new one whenever a page of another origin is opened, and one more that waits for the
 * next; what pages may do to each other does not depend on it. Attacks by pages have a browser as people have it.
 */
const ONE_PROCESS = ['--disable-site-isolation-trials', '--renderer-process-limit=1']

async function startShared(): Promise<Shared> {
  let port = 0
  const relay = createServer((socket) => {
    const onward = connect(port, '127.0.0.1')
    for (const [each, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      each.on('error', () => {}).once('close', () => other.destroy())
      each.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const { port: own } = relay.address() as AddressInfo
  const browser = await openChromium({ names: '*.test', url: `http://127.0.0.1:${own}` }, ONE_PROCESS)
  browser.once('disconnected', () => relay.close())
  return {
    browser,
    leadTo(to) {
      port = to
    },
  }
}

/** Where pictures of the pages are put, if anybody wants to look at them. */
const { ALOFT_SCREENSHOTS } = process.env
export const wantsPictures = ALOFT_SCREENSHOTS !== undefined

export async function takePicture(page: Page, name: string): Promise<void> {
  if (ALOFT_SCREENSHOTS !== undefined)
    await page.screenshot({ path: join(ALOFT_SCREENSHOTS, `${name}.png`), fullPage: true })
}
