import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { withoutChromium } from '#test/support/browser/chromium.ts'
import { type DashboardTest, openDashboard } from '#test/support/browser/dashboard.ts'

/** What people wait for before they see anything, in compressed bytes of JavaScript. */
const FIRST_LOAD = 250 * 1024

describe('the frame of the dashboard', { skip: withoutChromium }, () => {
  let dashboard: DashboardTest
  before(async () => {
    dashboard = await openDashboard()
  })
  after(() => dashboard?.close())

  test('leads to the projects of the one who is signed in, and loads little for it', async (t) => {
    const ada = await dashboard.server.signUp('ada@aloft.test')
    const page = await dashboard.openAnother(ada, '/healthz')
    let bytes = 0
    const foreign: string[] = []
    page.on('response', (response) => {
      const url = new URL(response.url())
      if (url.protocol.startsWith('http') && url.host !== 'aloft.test') foreign.push(url.href)
      if (url.pathname.endsWith('.js')) bytes += Number(response.headers()['content-length'])
    })
    await page.goto('http://aloft.test/')
    await page.waitForURL(`**/a/${ada.username}`)
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Domains' }).waitFor()
    await page.getByRole('heading', { level: 1 }).waitFor()
    t.diagnostic(`first load: ${Math.round(bytes / 1024)} KB of compressed JavaScript`)
    assert.ok(bytes > 0 && bytes < FIRST_LOAD, `${bytes} bytes of JavaScript for the first page`)
    assert.deepEqual(foreign, [])
    await dashboard.look(page, 'frame')
    assert.match(await page.title(), /Aloft$/)
  })

  test('whoever is not signed in is led to the login, and back', async () => {
    const grace = await dashboard.server.signUp('grace@aloft.test')
    const page = await dashboard.openPage(grace, '/account/tokens')
    await page.getByRole('heading', { name: 'Access tokens' }).waitFor()
    await page.evaluate("location.hash = 'L30'")
    await page.context().clearCookies()
    await page.reload()
    await page.waitForURL('**/login?next=%2Faccount%2Ftokens%23L30')
  })

  test('goes by keys alone, past the navigation and to any page', async () => {
    const eve = await dashboard.server.signUp('eve@aloft.test')
    const page = await dashboard.openPage(eve, `/a/${eve.username}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    assert.equal(new URL(page.url()).hash, '#main')
    await page.getByRole('link', { name: 'Webhooks' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  })

  test('while the server is away the page stays, says so, and catches up', async () => {
    const joan = await dashboard.server.signUp('joan@aloft.test')
    const page = await dashboard.openAnother(joan, `/a/${joan.username}/webhooks`)
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
    await page.context().setOffline(true)
    await page.getByText('Reconnecting…').waitFor()
    await dashboard.look(page, 'reconnecting')
    // The code of the next page is not here yet.
    await page.getByRole('link', { name: 'Log drains' }).click()
    await page.getByText('Reconnecting…').waitFor()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.context().setOffline(false)
    await page.getByRole('heading', { name: 'Log drains', level: 1 }).waitFor()
    await page.getByText('Reconnecting…').waitFor({ state: 'detached' })
    // A break during which nothing is asked for ends as well.
    await page.context().setOffline(true)
    await page.getByText('Reconnecting…').waitFor()
    await page.context().setOffline(false)
    await page.getByText('Reconnecting…').waitFor({ state: 'detached' })
  })

  test('a page that is reloaded while the server is away is the dashboard, which says so and catches up', async () => {
    const lise = await dashboard.server.signUp('lise@aloft.test')
    const page = await dashboard.openAnother(lise)
    // Browsers keep a program for the computer itself and for TLS alone.
    const { url } = dashboard.server
    const [session] = await page.context().cookies('http://aloft.test')
    assert.ok(session)
    await page.context().addCookies([{ ...session, domain: new URL(url).hostname }])
    const at = `${url}/a/${lise.username}/webhooks`
    await page.goto(at)
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
    await page.waitForFunction(`
      navigator.serviceWorker.controller !== null &&
      caches.open('aloft-shell').then((cache) => cache.keys()).then((kept) =>
        performance.getEntriesByType('resource').every(({ name }) =>
          !new URL(name).pathname.startsWith('/assets/') || kept.some(({ url }) => url === name)))`)
    await page.context().setOffline(true)
    await page.reload()
    await page.getByText('Reconnecting…').waitFor()
    // Signing in is not the dashboard's: nothing stands in for it.
    await assert.rejects(page.evaluate("fetch('/login')"))
    await page.context().setOffline(false)
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
    await page.getByText('Reconnecting…').waitFor({ state: 'detached' })
    // What the server says comes first: signed out, the page leads to signing in.
    await page.context().clearCookies()
    await page.reload()
    await page.waitForURL('**/login?next=**')
  })

  test('links in emails name an account by its id', async () => {
    const mary = await dashboard.server.signUp('mary@aloft.test')
    const page = await dashboard.openPage(mary, `/a/${mary.id}/webhooks`)
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  })

  test('a page that is not there says so, and errors say what to do', async () => {
    const hedy = await dashboard.server.signUp('hedy@aloft.test')
    const page = await dashboard.openPage(hedy, '/a/nobody')
    await page.getByText('Page not found').waitFor()
    await page.goto(`http://aloft.test/a/${hedy.username}/webhooks/hook_nothing`)
    await page.getByText('Not found', { exact: true }).waitFor()
    await page
      .getByRole('navigation', { name: 'Continue to' })
      .getByRole('link', { name: 'Deployments' })
      .click()
    await page.waitForURL(`**/a/${hedy.username}/deployments`)
  })
})
