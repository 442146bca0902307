import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#adapters/sql/database/database.ts'
import { HOUR } from '#contract/time.ts'
import { SILENT_MS } from '#core/machine/machine.ts'
import { withoutChromium } from '#test/support/browser/chromium.ts'
import { type DashboardTest, openDashboard } from '#test/support/browser/dashboard.ts'
import { holdRequest } from '#test/support/browser/hold-request.ts'
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
    for (const on of ['GET /v9/edge-config', 'GET /v9/edge-config', 'POST /v1/unheard-of'])
      await dashboard.server.call(on, operator)
    const page = await dashboard.openPage(operator, '/operator')
    await page.getByRole('heading', { name: 'Configuration' }).waitFor()
    const unknown = page.getByRole('table', { name: 'Unknown endpoints' })
    assert.match(await unknown.innerText(), /GET \/v9\/edge-config\s+2\b[\s\S]*POST \/v1\/unheard-of\s+1\b/)
    assert.match(await page.getByRole('main').innerText(), /(sqlite|postgresql), schema \d+/)
    await dashboard.look(page, 'operator-health')
  })

  test('a plan is changed, and an account is blocked', async () => {
    const ada = await dashboard.server.signUp('ada@aloft.test')
    const page = await dashboard.openPage(operator, '/operator/accounts?q=ada')
    await page.getByLabel('Plan of ada').selectOption('pro')
    await page.getByText('ada updated.').waitFor()
    await page.getByRole('button', { name: 'Block ada' }).click()
    await page.getByRole('button', { name: 'Block account' }).click()
    await page.getByRole('button', { name: 'Unblock ada' }).waitFor()
    await dashboard.look(page, 'operator-accounts')
    const { user } = (await dashboard.server.call('GET /v2/user', { token: ada.token })).body
    assert.deepEqual([user.plan, user.softBlocked], ['pro', true])
  })

  test('quotas of a plan and of an account are changed, and the account sees what it uses', async () => {
    const bea = await dashboard.server.signUp('bea@aloft.test')
    const plans = await dashboard.openPage(operator, '/operator/quotas')
    await plans.getByRole('button', { name: 'Edit quotas of enterprise' }).click()
    await plans.getByLabel('Build time').fill('much')
    await plans.getByText('Enter a number or "none" for no limit, or leave it empty.').waitFor()
    await plans.getByLabel('Build time').fill('600')
    await dashboard.look(plans, 'operator-quotas-dialog')
    await plans.getByRole('button', { name: 'Save quotas' }).click()
    await plans.getByText('600 min per month').nth(2).waitFor()
    await dashboard.look(plans, 'operator-quotas')

    const page = await dashboard.openPage(operator, '/operator/accounts?q=bea')
    await page.getByRole('link', { name: 'bea' }).click()
    await page.getByRole('button', { name: 'Edit quotas' }).click()
    await page.getByLabel('Storage').fill('20GB')
    await page.getByRole('button', { name: 'Save quotas' }).click()
    await page.getByText('of 20 GB').waitFor()

    const { id = '' } = (await dashboard.server.parts.stores.users.byEmail('bea@aloft.test')) ?? {}
    await dashboard.server.parts.stores.usage.add([
      { ownerId: id, what: 'contentBytes', period: '', amount: 19e9 },
      { ownerId: id, what: 'deployments', period: '', amount: 12 },
    ])
    const own = await dashboard.openAnother(bea, '/a/bea/usage')
    const meter = own.getByRole('progressbar', { name: 'Storage' })
    assert.equal(await meter.getAttribute('aria-valuenow'), '95')
    assert.match(
      await own.getByRole('main').innerText(),
      /19 GB of 20 GB.*12 \(no limit\).*0 min of 600 min/s,
    )
    await dashboard.look(own, 'usage')
    await page.reload()
    await page.getByText('Files: 19 GB, Git repositories: 0 B').waitFor()
    await dashboard.look(page, 'operator-account')

    // What a plan lacks is told to those who are on it, and to nobody else.
    await dashboard.server.call('POST /v10/projects', { token: bea.token, body: { name: 'shop' } })
    const needed = own.getByText(
      'Password protection requires the enterprise plan. This account is on the pro',
    )
    await own.goto('http://aloft.test/a/bea/projects/shop/settings/protection')
    await own.getByRole('heading', { name: 'Password', exact: true }).waitFor()
    assert.equal(await needed.count(), 0)
    const { token } = operator
    await dashboard.server.call(`PATCH /v1/operator/accounts/${id}`, { token, body: { plan: 'pro' } })
    await own.reload()
    await needed.waitFor()
  })

  test('a job is run now', async () => {
    const page = await dashboard.openPage(operator, '/operator/jobs')
    const run = page.getByRole('button', { name: /^Run .* now$/ }).first()
    await run.waitFor()
    await dashboard.look(page, 'operator-jobs')
    await run.click()
    await page.getByText(/ queued\.$/).waitFor()
  })

  test('a machine is drained, takes part again, and is removed for good', async () => {
    const now = Date.now()
    const { machines } = dashboard.server.parts.stores
    for (const [name, role, version, origin] of [
      ['fra-1', 'serve', '1.1.0', 'fra1'],
      ['fra-2', 'work', '1.0.0', 'fra1'],
      ['iad-1', 'work', '1.0.0', 'iad1'],
    ] as const)
      await machines.report({
        ...{ name, role, version, origin, address: `10.0.0.1:70`, load: role === 'work' ? 1.25 : 0.5 },
        ...{ memory: { free: 1e9, total: 4e9 }, disk: { free: 9e9, total: 1e10 } },
        ...{ startedAt: now, publicAddresses: [] },
      })
    // However long the page takes to open, two were heard of just now, and one has been silent.
    const { dataDir, databaseUrl: url } = dashboard.server
    const database = await openDatabase({ url, file: join(dataDir, 'aloft.db') })
    const hear = (later: number, name: string) =>
      sql`update machines set heard_at = heard_at + ${later} where name like ${name}`.execute(database.db)
    await hear(HOUR, 'fra-%')
    await hear(-2 * SILENT_MS, 'iad-1')
    await database.close()
    const page = await dashboard.openPage(operator, '/operator/machines')
    const row = page.getByRole('row', { name: /fra-2/ })
    const saidOf = async (name: string) => {
      const cells = await page
        .getByRole('row', { name: new RegExp(name) })
        .getByRole('cell')
        .allInnerTexts()
      // Not when it was started, which depends on the time.
      return [...cells.slice(0, 6), cells[7]].map((text) => text?.replace(/\s+/g, ' ').trim())
    }
    await row.waitFor()
    const titles = await page.getByRole('columnheader').allInnerTexts()
    assert.deepEqual(titles.slice(1, 7), [
      ...['Status', 'Version', 'Load', 'Memory used', 'Disk used', 'Started'],
    ])
    const used = ['75% of 4.0 GB', '10% of 10.0 GB', 'Drain']
    assert.deepEqual(await saidOf('fra-1'), [...['fra-1 Serves · fra1', 'Healthy', '1.1.0', '0.50', ...used]])
    assert.deepEqual(await saidOf('fra-2'), [
      ...['fra-2 Builds and runs · fra1', 'Healthy', '1.0.0', '1.25', ...used],
    ])
    assert.deepEqual((await saidOf('iad-1')).slice(0, 2), ['iad-1 Builds and runs · iad1', 'Not responding'])
    await row.getByRole('button', { name: 'Drain' }).click()
    await page.getByRole('button', { name: 'Drain machine' }).click()
    await row.getByText('Draining').waitFor()
    assert.deepEqual((await saidOf('fra-2')).slice(1, 3), ['Draining', '1.0.0'])
    assert.equal((await saidOf('fra-1'))[1], 'Healthy')
    await dashboard.look(page, 'operator-machines')
    await row.getByRole('button', { name: 'Resume' }).click()
    await row.getByRole('button', { name: 'Drain' }).waitFor()
    await row.getByRole('button', { name: 'Remove fra-2' }).click()
    const remove = page.getByRole('button', { name: 'Remove the machine' })
    assert.equal(await remove.isEnabled(), false, 'only after its name was typed')
    await page.getByLabel(/^Type /).fill('fra-2')
    await remove.click()
    await page.getByText('fra-2 is part of the installation no more.').waitFor()
    await row.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /fra-1/ }).waitFor()
  })

  test('a backup is downloaded', async () => {
    const page = await dashboard.openPage(operator, '/operator/backups')
    const download = page.waitForEvent('download')
    const release = await holdRequest(page, '**/operator/backups?*')
    await page.getByRole('button', { name: 'Create backup' }).click()
    await page.getByRole('status').filter({ hasText: 'Preparing the backup…' }).waitFor()
    release()
    const file = await download
    assert.match(file.suggestedFilename(), /\.tar$/)
    assert.ok((await stat(await file.path())).size > 10_000)
    await dashboard.look(page, 'operator-backups')
  })

  test('is nothing to anybody else', async () => {
    const eve = await dashboard.server.signUp('eve@aloft.test')
    const page = await dashboard.openPage(eve, '/operator')
    await page.getByText('Page not found').waitFor()
  })
})
