import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { withoutChromium } from '#test/support/browser/chromium.ts'
import { type DashboardTest, openDashboard } from '#test/support/browser/dashboard.ts'
import type { Account } from '#test/support/server.ts'

describe('scheduled jobs', { skip: withoutChromium }, () => {
  let dashboard: DashboardTest
  let ada: Account

  before(async () => {
    dashboard = await openDashboard()
    ada = await dashboard.server.signUp('ada@aloft.test')
    const files = [{ file: 'index.html', data: 'x' }]
    const body = { name: 'nightly', version: 2, target: 'production', files }
    await dashboard.server.call('POST /v8/platform/deployments', { token: ada.token, body })
  })
  after(() => dashboard?.close())

  test('a scheduled job is added, run by hand, paused and removed', async () => {
    const page = await dashboard.openPage(ada, `/a/${ada.username}/projects/nightly/crons`)
    await page.getByRole('button', { name: 'New scheduled job' }).click()
    await page.getByLabel('Path').fill('/')
    await page.getByLabel('Schedule', { exact: true }).fill('daily')
    await page.getByRole('button', { name: 'Add scheduled job' }).click()
    await page.getByText('should have five fields').waitFor()
    await page.getByLabel('Schedule', { exact: true }).fill('0 5 * * *')
    await page.getByRole('button', { name: 'Add scheduled job' }).click()
    // There is something to be done once the server has answered.
    await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'POST'),
      page.getByRole('button', { name: 'Run / now' }).click(),
    ])
    await dashboard.server.runJobs()
    await page.getByText('Succeeded').first().waitFor()
    await page.getByRole('button', { name: '/', exact: true }).click()
    await page.getByText('manual').waitFor()
    await dashboard.look(page, 'schedules')
    await page.getByRole('button', { name: 'Pause /' }).click()
    await page.getByText('Paused').first().waitFor()
    await page.getByRole('button', { name: 'Remove /' }).click()
    await page.getByRole('button', { name: 'Remove scheduled job' }).click()
    await page.getByText('No scheduled jobs yet').waitFor()
    const { body } = await dashboard.server.call('GET /v1/projects/nightly/crons', { token: ada.token })
    assert.deepEqual(body.crons, [])
  })
})
