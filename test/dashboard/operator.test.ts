import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { withoutChromium } from '#test/support/chromium.ts'
import { type DashboardTest, openDashboard } from '#test/support/dashboard.ts'
import type { Account } from '#test/support/server.ts'

describe('pages of whoever operates', { skip: withoutChromium }, () => {
  let dashboard: DashboardTest
  let operator: Account
  before(async () => {
    dashboard = await openDashboard()
    operator = await dashboard.server.operator()
  })
  after(() => dashboard?.close())

  test('health says what is well and what needs somebody', async () => {
    const page = await dashboard.openPage(operator, '/operator')
    await page.getByRole('heading', { name: 'How it is set up' }).waitFor()
    assert.match(await page.getByRole('main').innerText(), /sqlite, schema \d+/)
    await dashboard.look(page, 'operator-health')
  })

  test('a plan is changed, and an account is blocked', async () => {
    const ada = await dashboard.server.signUp('ada@aloft.test')
    const page = await dashboard.openPage(operator, '/operator/accounts?q=ada')
    await page.getByLabel('Plan of ada').selectOption('pro')
    await page.getByText('ada is changed.').waitFor()
    await page.getByRole('button', { name: 'Block ada' }).click()
    await page.getByRole('button', { name: 'Unblock ada' }).waitFor()
    await dashboard.look(page, 'operator-accounts')
    const { user } = (await dashboard.server.call('GET /v2/user', { token: ada.token })).body
    assert.deepEqual([user.plan, user.softBlocked], ['pro', true])
  })

  test('a job is run now', async () => {
    const page = await dashboard.openPage(operator, '/operator/jobs')
    const run = page.getByRole('button', { name: /^Run .* now$/ }).first()
    await run.waitFor()
    await dashboard.look(page, 'operator-jobs')
    await run.click()
    await page.getByText('is in the queue.').waitFor()
  })

  test('a backup is downloaded', async () => {
    const page = await dashboard.openPage(operator, '/operator/backups')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Make a backup' }).click()
    const file = await download
    assert.match(file.suggestedFilename(), /\.tar$/)
    assert.ok((await stat(await file.path())).size > 10_000)
    await dashboard.look(page, 'operator-backups')
  })

  test('is nothing to anybody else', async () => {
    const eve = await dashboard.server.signUp('eve@aloft.test')
    const page = await dashboard.openPage(eve, '/operator')
    await page.getByText('There is no such page').waitFor()
  })
})
