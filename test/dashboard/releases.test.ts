import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { withoutChromium } from '#test/support/browser/chromium.ts'
import { type DashboardTest, openDashboard } from '#test/support/browser/dashboard.ts'
import type { Account } from '#test/support/server.ts'

describe('rolling releases', { skip: withoutChromium }, () => {
  let dashboard: DashboardTest
  let ada: Account

  const deploy = async (text: string) => {
    const files = [{ file: 'index.html', data: text }]
    const body = { name: 'rolled', version: 2, target: 'production', files }
    const { status } = await dashboard.server.call('POST /v8/platform/deployments', {
      token: ada.token,
      body,
    })
    assert.equal(status, 200)
  }

  before(async () => {
    dashboard = await openDashboard()
    ada = await dashboard.server.signUp('ada@aloft.test')
    await deploy('old')
  })
  after(() => dashboard?.close())

  test('stages are set, a release is followed with both curves, goes on, and is aborted', async () => {
    const page = await dashboard.openPage(ada, `/a/${ada.username}/projects/rolled/settings/advanced`)
    await page.getByText('Release in stages').click()
    await page.getByLabel('Stage 1 (%)').fill('25')
    await page.getByLabel('Stage 1 minutes').fill('')
    await dashboard.look(page, 'release-settings')
    const card = page.locator('form', { hasText: 'Rolling releases' })
    await card.getByRole('button', { name: 'Save' }).click()
    await page.getByText('It applies to the next production deployment').waitFor()
    await deploy('new')
    for (const side of ['canary', 'stable', 'stable'])
      await dashboard.server.visit('rolled.sites.test', '/', { 'x-rolling-release': side })
    await dashboard.server.endTraffic()
    await page.goto(new URL(`/a/${ada.username}/projects/rolled`, page.url()).href)
    await page.getByText('25%').first().waitFor()
    await page.getByText('2 requests to the live deployment, 1 to the new one').waitFor()
    await dashboard.look(page, 'release')
    await page.getByRole('button', { name: 'Go to 50%' }).click()
    await page.getByRole('button', { name: 'Release to everyone' }).waitFor()
    await page.getByRole('button', { name: 'Abort' }).click()
    await page.getByRole('button', { name: 'Abort the release' }).click()
    await page.getByText('was aborted').waitFor()
    const { body } = await dashboard.server.visit('rolled.sites.test', '/', { 'x-rolling-release': 'canary' })
    assert.equal(body, 'old')
  })
})
