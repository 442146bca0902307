import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { type Account, type StartOptions, startServer, type TestServer } from '../server.ts'
import { violations } from './axe.ts'
import { borrowChromium, takePicture, wantsPictures } from './chromium.ts'
import { sessionCookie } from './session-cookie.ts'

const root = join(import.meta.dirname, '../../..')

/** Where what was done on the pages is put, if anybody wants to look at it. */
const { ALOFT_TRACES } = process.env

const SIZES = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
} as const

/**
 * Everything is asked once, of colours in both themes; then what another size can differ in. Each differs from the one before
 * in one thing, and the first is how tests use the page: turning it costs as much as asking.
 */
const LOOKS = [
  {
    size: 'desktop',
    theme: 'light',
    rules: {
      type: 'tag',
      values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    },
  },
  { size: 'desktop', theme: 'dark', rules: undefined },
  { size: 'phone', theme: 'dark', rules: undefined },
  {
    size: 'phone',
    theme: 'light',
    rules: {
      type: 'rule',
      values: [
        'scrollable-region-focusable',
        'target-size',
        'heading-order',
        'button-name',
        'label',
        'region',
      ],
    },
  },
] as const

export interface DashboardTest {
  readonly server: TestServer
  /**
   * The one page of all files of a process, with this person signed in and nothing left of who was before, save what a
   * browser keeps to be quicker: a new browser takes three times as long to show the first page. What it complains of fails
   * `look`.
   */
  openPage(account: Account, path?: string): Promise<Page>
  /** A page of another browser, for what is seen in two at a time or with nothing kept. */
  openAnother(account: Account, path?: string): Promise<Page>
  /**
   * Looks at a page as everybody might see it, light and dark, on a desk and on a phone: nothing that keeps people
   * out (axe), nothing wider than the screen, no error in the browser's console.
   */
  look(page: Page, name: string): Promise<void>
  close(): Promise<void>
}

const ORIGIN = 'http://aloft.test'

/** Names as on the internet: the dashboard and the sites are of different origins. */
const NAMES = {
  ALOFT_BASE_URL: ORIGIN,
  ALOFT_API_HOSTS: 'aloft.test,127.0.0.1',
  ALOFT_DOMAIN: 'sites.test',
}

/** As every file finds it. */
const AT_FIRST = { viewport: SIZES.desktop, reducedMotion: 'reduce', colorScheme: 'light' } as const

const complaints = new WeakMap<Page, string[]>()
let only: Page | undefined

export async function openDashboard(options: StartOptions = {}): Promise<DashboardTest> {
  buildDashboard()
  const server = await startServer({ ...options, env: { ...NAMES, ...options.env } })
  const { browser, giveBack } = await borrowChromium(server.url)
  const others: BrowserContext[] = []
  let isFirst = true

  const newPage = async (): Promise<Page> => {
    const context = await browser.newContext(AT_FIRST)
    if (ALOFT_TRACES !== undefined) await context.tracing.start({ screenshots: true, snapshots: true })
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    page.on('pageerror', (error) => complaints.get(page)?.push(String(error)))
    page.on('console', (message) => {
      // An answer that is no success is the page's to show, not the console's.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        complaints.get(page)?.push(message.text())
    })
    return page
  }

  const show = async (page: Page, account: Account, path: string): Promise<Page> => {
    complaints.set(page, [])
    const cookie = await sessionCookie(server, account)
    await page.context().addCookies([{ ...cookie, url: ORIGIN, httpOnly: true, sameSite: 'Lax' }])
    await page.goto(`${ORIGIN}${path}`)
    return page
  }

  return {
    server,

    async openPage(account, path = '/') {
      if (only === undefined || only.isClosed() || only.context().browser() !== browser)
        only = await newPage()
      else {
        // A test of an earlier file may have failed in the midst.
        if (isFirst) await putBack(only)
        await forgetAll(only)
      }
      isFirst = false
      return show(only, account, path)
    },

    async openAnother(account, path = '/') {
      const page = await newPage()
      others.push(page.context())
      return show(page, account, path)
    },

    async look(page, name) {
      await page.locator('h1').first().waitFor({ state: 'attached' })
      let at: (typeof LOOKS)[number] = LOOKS[0]
      const turn = async (to: (typeof LOOKS)[number]): Promise<void> => {
        if (to.size !== at.size) await page.setViewportSize(SIZES[to.size])
        if (to.theme !== at.theme) await page.emulateMedia({ colorScheme: to.theme })
        at = to
      }
      for (const look of LOOKS) {
        const { size, theme, rules } = look
        if (rules === undefined && !wantsPictures) continue
        await turn(look)
        await drawn(page)
        await takePicture(page, `${name}-${size}-${theme}`)
        if (rules === undefined) continue
        assert.deepEqual(await lasting(page, rules), [], `${name}, ${size}, ${theme}`)
        const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        assert.ok(Number(wider) <= 0, `${name} is wider than a ${size} by ${wider}`)
        if (ROWS_WITH_BUTTONS.has(name))
          assert.deepEqual(await page.evaluate(CUT_OFF), [], `buttons of ${name} cut off on a ${size}`)
      }
      await turn(LOOKS[0])
      assert.deepEqual(complaints.get(page) ?? [], [], `${name} makes the browser complain`)
    },

    async close() {
      if (ALOFT_TRACES !== undefined)
        for (const context of browser.contexts()) {
          await context.tracing.stop({ path: join(ALOFT_TRACES, `${process.pid}-${++traces}.zip`) })
          await context.close()
        }
      for (const context of others) await context.close()
      // It would go on asking a server that is gone.
      if (only?.context().browser() === browser && !only.isClosed()) await only.goto('about:blank')
      giveBack()
      await server.close()
    },
  }
}

/** Pages whose rows end in buttons and have little space for them on a phone. */
const ROWS_WITH_BUTTONS: ReadonlySet<string> = new Set([
  'members',
  'members-invited',
  'git',
  'git-held',
  'operator-accounts',
  'operator-machines',
  'schedules',
])

/** Buttons at the end of a row that are beyond the edge of their card. */
const CUT_OFF = `[...document.querySelectorAll('td button')]
  .filter((button) => button.getBoundingClientRect().right > button.closest('table').parentElement.getBoundingClientRect().right)
  .map((button) => button.ariaLabel ?? button.textContent)`

/**
 * What keeps people out, and still does when it is looked at again: a button that is enabled again between two questions about its
 * colours has those of neither state.
 */
async function lasting(page: Page, rules: object): Promise<readonly string[]> {
  const found = await violations(page, rules)
  if (found.length === 0) return found
  await drawn(page)
  const again = new Set(await violations(page, rules))
  return found.filter((violation) => again.has(violation))
}

let traces = 0

/** How the page is used, where that was changed. */
async function putBack(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.context().setOffline(false)
  await page.setViewportSize(AT_FIRST.viewport)
  await page.emulateMedia({ colorScheme: AT_FIRST.colorScheme })
}

/** Everything that the pages before could have left for the next one to see. */
async function forgetAll(page: Page): Promise<void> {
  const context = page.context()
  // A page that is still there would go on asking, and write down what it learns.
  await page.goto('about:blank')
  const devtools = await context.newCDPSession(page)
  await devtools.send('Storage.clearDataForOrigin', { origin: ORIGIN, storageTypes: 'local_storage' })
  await devtools.detach()
  await Promise.all([context.clearCookies(), context.clearPermissions()])
}

let isBuilt = false

/** Made once for all tests by `npm test`; this is for those who run one by itself. To see that it is takes a moment. */
function buildDashboard(): void {
  if (isBuilt) return
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build-dashboard.js'], {
    cwd: root,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  isBuilt = true
}

/** Nothing is on its way any more, and colours have turned: those of a theme do within a frame or two. */
const drawn = (page: Page): Promise<unknown> =>
  page.evaluate(`new Promise((resolve) => {
    let frames = 0
    const next = () => {
      const waits = document.querySelector('[role=status] > .animate-pulse') !== null
      const turns = document.getAnimations().some(({ playState }) => playState === 'running')
      frames = waits || turns ? 0 : frames + 1
      if (frames > 3) resolve()
      else requestAnimationFrame(next)
    }
    next()
  })`)
