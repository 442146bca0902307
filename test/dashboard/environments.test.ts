import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { withoutChromium } from '#test/support/browser/chromium.ts'
import { type DashboardTest, openDashboard } from '#test/support/browser/dashboard.ts'
import type { Account } from '#test/support/server.ts'

describe('environments', { skip: withoutChromium }, () => {
  let dashboard: DashboardTest
  let ada: Account

  before(async () => {
    dashboard = await openDashboard()
    ada = await dashboard.server.signUp('ada@aloft.test')
    await deploy({ target: 'production' })
  })
  after(() => dashboard?.close())

  const deploy = (more: object) =>
    dashboard.server.call('POST /v8/platform/deployments?forceNew=1', {
      token: ada.token,
      body: { name: 'shop', version: 2, files: [{ file: 'index.html', data: 'x' }], ...more },
    })
  const at = (page: string) => `/a/${ada.username}/projects/shop/${page}`

  test('one is added, deployed to, chosen for a variable and a domain, and deleted', async (t) => {
    const page = await dashboard.openPage(ada, at('settings/environments'))
    await page.getByRole('button', { name: 'Add' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Staging!')
    await dialog.getByLabel('Deploy on push').selectOption('startsWith')
    await dialog.getByLabel('Pattern').fill('release/')
    await dialog.getByRole('button', { name: 'Add environment' }).click()
    await dialog.getByText('Use only lowercase letters, digits and dashes').waitFor()
    await dialog.getByLabel('Name').fill('staging')
    await dashboard.look(page, 'environment-dialog')
    await dialog.getByRole('button', { name: 'Add environment' }).click()
    await page.getByText('release/*').waitFor()
    await page.getByText('Nothing deployed yet').waitFor()
    await deploy({ customEnvironmentSlugOrId: 'staging' })
    await page.reload()
    await page.getByText(`shop-env-staging-${ada.username}`).filter({ visible: true }).waitFor()
    await dashboard.look(page, 'environments')

    await dashboard.openPage(ada, at('settings/variables'))
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Name').fill('API_URL')
    await form.getByLabel('Value').fill('https://staging.example')
    for (const name of ['Production', 'Preview']) await form.getByLabel(name).uncheck()
    await form.getByLabel('staging').check()
    await form.getByRole('button', { name: 'Add variable' }).click()
    await page.getByText('API_URL').first().waitFor()
    await dashboard.look(page, 'environment-variables')
    const { body } = await dashboard.server.call('GET /v9/projects/shop/env', { token: ada.token })
    assert.deepEqual([body.envs[0].target, body.envs[0].customEnvironmentIds.length], [[], 1])

    await dashboard.openPage(ada, at('settings/domains'))
    await page.getByRole('button', { name: 'Add domain' }).first().click()
    const adding = page.getByRole('dialog')
    await adding.getByLabel('Domain').fill('uat-shop.sites.test')
    await adding.getByLabel('Connect to').selectOption('environment')
    await adding.getByLabel('Environment').selectOption({ label: 'staging' })
    await adding.getByRole('button', { name: 'Add domain' }).click()
    await page.getByText('Environment staging').waitFor()
    await dashboard.look(page, 'environment-domain')

    const source = mkdtempSync(join(tmpdir(), 'aloft-source-'))
    t.after(() => rmSync(source, { recursive: true, force: true }))
    writeFileSync(join(source, 'index.html'), 'from the browser')
    await dashboard.openPage(ada, `/a/${ada.username}/new?project=shop`)
    await page.locator('[data-choose=folder]').setInputFiles(source)
    await page.getByLabel('Target').selectOption({ label: 'staging' })
    await page.getByRole('button', { name: 'Deploy', exact: true }).click()
    await page.getByText('Your deployment to staging is ready').waitFor()

    await dashboard.openPage(ada, at('deployments'))
    await page.getByLabel('Target').selectOption({ label: 'staging' })
    await page.getByRole('table').getByText('staging').first().waitFor()
    assert.equal(await page.getByRole('row').count(), 3)

    await dashboard.server.call('DELETE /v9/projects/shop/domains/uat-shop.sites.test', { token: ada.token })
    await dashboard.openPage(ada, at('settings/environments'))
    await page.getByRole('button', { name: 'Delete staging' }).click()
    await page.getByRole('button', { name: 'Delete environment' }).click()
    await page.getByText('No environments yet').waitFor()
  })
})
