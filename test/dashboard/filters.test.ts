import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { withoutChromium } from '#test/support/browser/chromium.ts'
import { type DashboardTest, openDashboard } from '#test/support/browser/dashboard.ts'
import { holdRequest } from '#test/support/browser/hold-request.ts'
import type { Account } from '#test/support/server.ts'

describe('filters in the dashboard', { skip: withoutChromium }, () => {
  let dashboard: DashboardTest
  let ada: Account
  let shopId: string
  before(async () => {
    dashboard = await openDashboard()
    ada = await dashboard.server.signUp('ada@aloft.test')
    const made = await deploy('shop', '1.10')
    await deploy('shop', 'main')
    shopId = made.projectId
  })
  after(() => dashboard?.close())

  const call = async (on: string, body?: unknown) =>
    (await dashboard.server.call(on, { token: ada.token, body })).body
  const deploy = (name: string, gitBranch: string) =>
    call('POST /v8/platform/deployments', {
      ...{ name, version: 2, target: 'production', meta: { gitBranch } },
      files: [{ file: 'index.html', data: `<h1>${gitBranch}</h1>` }],
    })
  const open = (path: string) => dashboard.openPage(ada, `/a/${ada.username}${path}`)

  test('what is typed stays while the list that it asks for is on its way', async () => {
    const page = await open('/projects/shop/deployments')
    const rows = page.getByRole('table').locator('tbody tr')
    await rows.nth(1).waitFor()
    const goOn = await holdRequest(page, '**/deployments?*meta-gitBranch=*')
    const branch = page.getByLabel('Branch')
    await branch.pressSequentially('ma')
    assert.equal(await rows.count(), 2, 'what was there is there until the next is')
    await branch.pressSequentially('in')
    assert.equal(await branch.inputValue(), 'main')
    goOn()
    // What was asked for with the first letters may be answered before, and finds nothing.
    await page.waitForFunction(`document.querySelectorAll('tbody tr').length === 1`)
    assert.equal(await page.evaluate('document.activeElement.type'), 'search')
  })

  test('what looks like a number in an address is the text that it is', async () => {
    const page = await open('/deployments?branch=1.10')
    await page.getByRole('table').getByText('1.10').waitFor()
    assert.equal(await page.getByLabel('Branch').inputValue(), '1.10')
    assert.match(page.url(), /\?branch=1\.10$/)
  })

  test('the environment of one project is not asked for in another', async () => {
    await deploy('docs', 'main')
    await call('POST /v9/projects/shop/custom-environments', { slug: 'qa' })
    const page = await open(`/deployments?project=${shopId}`)
    await page.getByLabel('Target').selectOption('qa')
    await page.getByText('No matching deployments').waitFor()
    await page.getByLabel('Project').selectOption('docs')
    await page.getByRole('table').getByRole('link', { name: 'docs', exact: true }).waitFor()
    assert.doesNotMatch(page.url(), /target=/)
  })

  test('every project is found, however many are newer', async () => {
    // Those that were changed last are first in a list, and a page of it has a hundred.
    for (let n = 0; n < 101; n++) await call('POST /v10/projects', { name: `more-${n}` })
    const page = await open('/deployments')
    const project = page.getByLabel('Project')
    await project.getByRole('option', { name: 'shop', exact: true }).waitFor({ state: 'attached' })
    await project.selectOption('shop')
    await page.getByRole('table').getByText('docs').first().waitFor({ state: 'detached' })
    await page.goto(`http://aloft.test/a/${ada.username}/aliases`)
    await page.getByRole('table').getByRole('link', { name: 'shop', exact: true }).first().waitFor()
    await page.goto(`http://aloft.test/a/${ada.username}/audit`)
    await page.getByLabel('Kind of change').selectOption('Created or started')
    await page.getByRole('button', { name: 'Load more' }).click()
    await page.getByRole('table').getByRole('row').nth(60).waitFor()
  })
})
