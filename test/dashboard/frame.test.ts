import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { withoutChromium } from '#test/support/chromium.ts'
import { type DashboardTest, openDashboard } from '#test/support/dashboard.ts'

describe('the frame of the dashboard', { skip: withoutChromium }, () => {
  let dashboard: DashboardTest
  before(async () => {
    dashboard = await openDashboard()
  })
  after(() => dashboard?.close())

  test('leads to the projects of the one who is signed in', async () => {
    const ada = await dashboard.server.signUp('ada@aloft.test')
    const page = await dashboard.openPage(ada)
    await page.waitForURL(`**/a/${ada.username}`)
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Domains' }).waitFor()
    await dashboard.look(page, 'frame')
    assert.match(await page.title(), /Aloft$/)
  })
})
