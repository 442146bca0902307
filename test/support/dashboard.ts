import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { createBrowser } from './browser.ts'
import { openChromium } from './chromium.ts'
import { type Account, type StartOptions, startServer, type TestServer } from './server.ts'

const root = join(import.meta.dirname, '../..')
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Where pictures of the pages, and what was done on them, are put, if anybody wants to look at them. */
const { ALOFT_SCREENSHOTS, ALOFT_TRACES } = process.env

const SIZES = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
} as const

/** Everything is asked once; then what another theme or another size can differ in. */
const RULES = {
  desktop: {
    light: {
      type: 'tag',
      values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    },
    dark: { type: 'rule', values: ['color-contrast'] },
  },
  phone: {
    light: {
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
    dark: undefined,
  },
} as const

export interface DashboardTest {
  readonly server: TestServer
  /** A page of a new browser in which this person is signed in. What it complains of fails `look`. */
  openPage(account: Account, path?: string): Promise<Page>
  /**
   * Looks at a page as everybody might see it, light and dark, on a desk and on a phone: nothing that keeps people
   * out (axe), nothing wider than the screen, no error in the browser's console.
   */
  look(page: Page, name: string): Promise<void>
  close(): Promise<void>
}

/** Names as on the internet: the dashboard and the sites are of different origins. */
const NAMES = {
  ALOFT_BASE_URL: 'http://aloft.test',
  ALOFT_API_HOSTS: 'aloft.test,127.0.0.1',
  ALOFT_DOMAIN: 'sites.test',
}

export async function openDashboard(options: StartOptions = {}): Promise<DashboardTest> {
  buildDashboard()
  const server = await startServer({ ...options, env: { ...NAMES, ...options.env } })
  const browser = await openChromium({ names: '*.test', url: server.url })
  const complaints = new WeakMap<Page, string[]>()

  const signedIn = async ({ email }: Account): Promise<BrowserContext> => {
    const session = createBrowser(server)
    await session.signIn(email)
    const context = await browser.newContext({ viewport: SIZES.desktop, reducedMotion: 'reduce' })
    await context.addCookies(
      [...session.cookies].map(([name, value]) => ({
        name,
        value,
        domain: 'aloft.test',
        path: '/',
        httpOnly: true,
        sameSite: 'Lax' as const,
      })),
    )
    return context
  }

  return {
    server,

    async openPage(account, path = '/') {
      const context = await signedIn(account)
      if (ALOFT_TRACES !== undefined) await context.tracing.start({ screenshots: true, snapshots: true })
      const page = await context.newPage()
      page.setDefaultTimeout(30_000)
      const heard: string[] = []
      complaints.set(page, heard)
      page.on('pageerror', (error) => heard.push(String(error)))
      page.on('console', (message) => {
        // An answer that is no success is the page's to show, not the console's.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
          heard.push(message.text())
      })
      await page.goto(`http://aloft.test${path}`)
      return page
    },

    async look(page, name) {
      await page.locator('h1').first().waitFor({ state: 'attached' })
      for (const size of ['desktop', 'phone'] as const) {
        await page.setViewportSize(SIZES[size])
        for (const theme of ['light', 'dark'] as const) {
          const rules = RULES[size][theme]
          if (rules === undefined && ALOFT_SCREENSHOTS === undefined) continue
          await page.emulateMedia({ colorScheme: theme })
          await drawn(page)
          if (ALOFT_SCREENSHOTS !== undefined) {
            mkdirSync(ALOFT_SCREENSHOTS, { recursive: true })
            const path = join(ALOFT_SCREENSHOTS, `${name}-${size}-${theme}.png`)
            await page.screenshot({ path, fullPage: true })
          }
          if (rules !== undefined)
            assert.deepEqual(await violations(page, rules), [], `${name}, ${size}, ${theme}`)
        }
        const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        assert.ok(Number(wider) <= 0, `${name} is wider than a ${size} by ${wider}`)
        if (ROWS_WITH_BUTTONS.has(name))
          assert.deepEqual(await page.evaluate(CUT_OFF), [], `buttons of ${name} cut off on a ${size}`)
      }
      await page.setViewportSize(SIZES.desktop)
      await page.emulateMedia({ colorScheme: 'light' })
      assert.deepEqual(complaints.get(page) ?? [], [], `${name} makes the browser complain`)
    },

    async close() {
      if (ALOFT_TRACES !== undefined)
        for (const [n, { tracing }] of browser.contexts().entries())
          await tracing.stop({ path: join(ALOFT_TRACES, `${process.pid}-${n + 1}.zip`) })
      await browser.close()
      await server.close()
    },
  }
}

/** Pages whose rows end in buttons and have little space for them on a phone. */
const ROWS_WITH_BUTTONS: ReadonlySet<string> = new Set(['members', 'operator-accounts', 'schedules'])

/** Buttons at the end of a row that are beyond the edge of their card. */
const CUT_OFF = `[...document.querySelectorAll('td button')]
  .filter((button) => button.getBoundingClientRect().right > button.closest('table').parentElement.getBoundingClientRect().right)
  .map((button) => button.ariaLabel ?? button.textContent)`

/** Made once for all tests by `npm test`; this is for those who run one by itself. */
function buildDashboard(): void {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build-dashboard.js'], {
    cwd: root,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
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

/** What keeps some people out, by the rules of WCAG AA. */
async function violations(page: Page, rules: object): Promise<readonly string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe)
  return page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] })
      .then(({ violations }) => violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => id + ': ' + help + ' ' + html.slice(0, 200))))`,
  )
}
