import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { withoutChromium } from '#test/support/browser/chromium.ts'
import { type DashboardTest, openDashboard } from '#test/support/browser/dashboard.ts'
import { holdRequest } from '#test/support/browser/hold-request.ts'
import { beginDomains, type DomainOwner } from '#test/support/dns/project-domains.ts'
import { createScriptedResolver } from '#test/support/dns/scripted-resolver.ts'
import type { Account } from '#test/support/server.ts'

describe('settings of a project', { skip: withoutChromium }, () => {
  const resolver = createScriptedResolver()
  let dashboard: DashboardTest
  let ada: Account
  let shop: DomainOwner
  let page: Page
  let host: string

  before(async () => {
    dashboard = await openDashboard({ resolver, env: { ALOFT_DEFAULT_PLAN: 'enterprise' } })
    ada = await dashboard.server.signUp('ada@aloft.test')
    shop = await beginDomains(dashboard.server, { account: ada })
    host = `${shop.name}.sites.test`
    await shop.deploy('welcome', 'production')
    page = await dashboard.openPage(ada, `/a/${ada.username}/projects/${shop.name}/settings`)
  })
  after(() => dashboard?.close())

  const open = (place: string) =>
    page.goto(`http://aloft.test/a/${ada.username}/projects/${shop.name}/settings/${place}`)
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const said = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).last().waitFor()
  const project = async () => (await shop.call(`GET /v9/projects/${shop.name}`)).body

  test('what is general is changed, and so is how it is built', async () => {
    await page.getByRole('heading', { name: 'Project ID' }).waitFor()
    await dashboard.look(page, 'settings-general')
    await page.getByLabel('Version').selectOption('18.x')
    await button('Save').first().click()
    await said('Applies to the next deployment.')
    await page.getByRole('switch', { name: /List files in folders/ }).click()
    await said(/^Saved\.$/)
    const general = await project()
    assert.deepEqual([general.nodeVersion, general.directoryListing], ['18.x', true])

    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Build' }).click()
    await page.getByLabel('Framework').selectOption({ label: 'Vite' })
    assert.match(
      (await page.getByLabel('Build command').first().getAttribute('placeholder')) ?? '',
      /vite build/,
    )
    await page.getByRole('switch', { name: 'Override: build command' }).click()
    await page.getByRole('textbox', { name: 'Build command' }).fill('make site')
    await dashboard.look(page, 'settings-build')
    // What was said of the first change may still be there.
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await button('Save').first().click()
    await saved
    await said('Applies to the next deployment.')
    const built = await project()
    assert.deepEqual([built.framework, built.buildCommand, built.installCommand], ['vite', 'make site', null])
  })

  test('a pasted .env becomes variables, which are revealed, changed and removed', async () => {
    await open('variables')
    await page.getByRole('heading', { name: 'No variables yet' }).waitFor()
    await dashboard.look(page, 'settings-variables-none')
    await button('Paste .env').click()
    await page
      .getByLabel('Contents')
      .fill(
        'export API_KEY="k-1 # not a comment"\n# a comment\nEMPTY=\nnonsense\nPEM="-----BEGIN\nabc\n-----END"\n',
      )
    await page.getByText('Line 4:').waitFor()
    await dashboard.look(page, 'settings-variables-paste')
    await button('Save 3').click()
    await said('3 variables saved.')
    const { body } = await shop.call(`GET /v9/projects/${shop.name}/env?decrypt=true`)
    const values = Object.fromEntries(
      body.envs.map((one: { key: string; value: string }) => [one.key, one.value]),
    )
    assert.deepEqual(values, {
      API_KEY: 'k-1 # not a comment',
      EMPTY: '',
      PEM: '-----BEGIN\nabc\n-----END',
    })

    assert.equal(await page.getByText('k-1 # not a comment').count(), 0)
    await button('Reveal API_KEY').click()
    await page.getByText('k-1 # not a comment').waitFor()
    // What is made elsewhere is seen without asking for it.
    await shop.call(`POST /v10/projects/${shop.name}/env`, {
      key: 'PASSWORD',
      value: 'hidden',
      type: 'sensitive',
      target: ['preview'],
      gitBranch: 'next',
      comment: 'of the database',
    })
    await page
      .getByRole('row', { name: /PASSWORD/ })
      .getByText('Hidden')
      .waitFor()
    await dashboard.look(page, 'settings-variables')

    await button('Edit API_KEY').click()
    await page.getByRole('textbox', { name: 'Value' }).fill('k-2')
    await page.getByLabel('Development').check()
    await button('Save').click()
    await said('API_KEY saved.')
    await button('Remove EMPTY').click()
    await button('Remove variable').click()
    await said('EMPTY removed.')
    const { envs } = (await shop.call(`GET /v9/projects/${shop.name}/env?decrypt=true`)).body
    const key = envs.find((one: { key: string }) => one.key === 'API_KEY')
    assert.deepEqual([key.value, key.target], ['k-2', ['production', 'preview', 'development']])
    assert.equal(
      envs.some((one: { key: string }) => one.key === 'EMPTY'),
      false,
    )

    // Pasted for one environment, a variable keeps its value in the others.
    await button('Paste .env').click()
    await page.getByLabel('Contents').fill('API_KEY=k-3')
    await page.getByRole('dialog').getByLabel('Production').uncheck()
    await page.getByText('Replaces').waitFor()
    await button('Save 1').click()
    await said('1 variable saved.')
    const pasted = (await shop.call(`GET /v9/projects/${shop.name}/env?decrypt=true`)).body.envs
      .filter((one: { key: string }) => one.key === 'API_KEY')
      .map((one: { value: string; target: string[] }) => [one.value, one.target.toSorted()])
    assert.deepEqual(pasted.toSorted(), [
      ['k-2', ['development', 'production']],
      ['k-3', ['preview']],
    ])
  })

  test('a domain that another account has is followed until it is verified and its DNS is set', async () => {
    const other = await beginDomains(dashboard.server)
    await other.deploy('the other one', 'production')
    await other.add(`www.${shop.apex}`)

    await open('domains')
    await page.getByRole('heading', { name: 'No custom domains yet' }).waitFor()
    await button('Add domain').click()
    await page.getByLabel('Domain', { exact: true }).fill(`www.${shop.apex}`)
    await page.getByLabel(`Also add ${shop.apex}`).uncheck()
    await button('Add domain').last().click()
    const item = page.getByRole('listitem', { name: `www.${shop.apex}` })
    await item.getByText('Verification needed').waitFor()
    const { body: waiting } = await shop.call(`GET /v9/projects/${shop.name}/domains/www.${shop.apex}`)
    const [{ value }] = waiting.verification
    await item.getByRole('code').filter({ hasText: value }).waitFor()
    await dashboard.look(page, 'settings-domains')

    const release = await holdRequest(page, '**/verify')
    await button('Check again').click()
    await item.getByRole('status').filter({ hasText: 'Looking up the DNS records' }).waitFor()
    release()
    await item.getByRole('alert').filter({ hasText: 'There is no TXT record' }).waitFor()
    resolver.set('txt', `_platform.${shop.apex}`, [value])
    await button('Check again').click()
    await said('is verified and connected')
    await item.getByText('DNS setup needed').waitFor()
    assert.equal(await shop.shown(`www.${shop.apex}`), 'welcome')
    await item.getByRole('code').filter({ hasText: 'alias.sites.test' }).waitFor()
    // What visitors do not reach yet is no headline, and says so where it is listed.
    const elsewhere = await dashboard.openAnother(ada, `/a/${ada.username}/projects/${shop.name}`)
    await elsewhere.getByRole('region', { name: 'Production' }).getByText('DNS setup needed').waitFor()
    await elsewhere.locator('header, main').getByRole('link', { name: host }).first().waitFor()
    await dashboard.look(elsewhere, 'overview-unproven')
    await elsewhere.close()
    resolver.set('cname', `www.${shop.apex}`, ['alias.sites.test'])
    await button('Check again').click()
    await item.getByText('Active', { exact: true }).waitFor()

    await button('Add domain').click()
    await page.getByLabel('Domain', { exact: true }).fill(shop.apex)
    await page.getByLabel('Connect to').selectOption({ label: 'Redirect to another domain' })
    await page.getByLabel('Redirect to').selectOption(`www.${shop.apex}`)
    await button('Add domain').last().click()
    await page.getByText(`Redirects to www.${shop.apex} (307)`).waitFor()
    assert.equal(await shop.shown(shop.apex), 307)
    await dashboard.look(page, 'settings-domains-two')
  })

  test('with a password the site asks for it, and programs pass by a secret', async () => {
    await open('protection')
    await page.getByRole('heading', { name: 'Automation bypass secrets' }).waitFor()
    const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Password' }) })
    await card
      .getByLabel('Applies to')
      .selectOption({ label: 'All deployments, including production domains' })
    await card.getByLabel('Password', { exact: true }).fill('open sesame')
    await card.getByRole('button', { name: 'Enable' }).click()
    await said('Takes effect immediately.')
    assert.equal((await dashboard.server.visit(host, '/')).status, 401)

    await button('New secret').click()
    await button('Create secret').click()
    await page.getByRole('heading', { name: 'Automation bypass secret', exact: true }).waitFor()
    await dashboard.look(page, 'settings-bypass')
    const [secret = ''] = Object.keys((await project()).protectionBypass)
    const passed = await dashboard.server.visit(host, '/', { 'x-platform-protection-bypass': secret })
    assert.deepEqual([passed.status, passed.body], [200, 'welcome'])
    await button('Done').click()
    await page.getByLabel('IP addresses').fill('203.0.113.7 # office')
    await page.getByLabel('Paths').fill('/api')
    // Under the bar of a phone, what is scrolled away cannot be touched.
    await page.evaluate('scrollTo(0, 0)')
    await dashboard.look(page, 'settings-protection')

    await button('Disable password').click()
    await said('Takes effect immediately.')
    await card.getByText('Disabled', { exact: true }).waitFor()
    assert.equal((await dashboard.server.visit(host, '/')).status, 200)
  })

  test('pages that are still open are kept with their deployment for as long as is set', async () => {
    await open('advanced')
    const age = page.getByLabel('Maximum age (seconds)')
    await age.fill('3600')
    // Other cards of the page have such a button too.
    await page.locator('section', { has: age }).last().getByRole('button', { name: 'Save' }).click()
    await said('Saved.')
    assert.equal((await project()).skewProtectionMaxAge, 3600)
  })

  test('a pause stops the site, and going on brings it back', async () => {
    await open('advanced')
    await button('Pause').click()
    await button('Pause project').click()
    await button('Resume').waitFor()
    assert.equal((await dashboard.server.visit(host, '/')).status, 503)
    await dashboard.look(page, 'settings-advanced')
    // What has no effect here is out of the way until somebody asks for it.
    assert.equal(await page.getByLabel('Preview comments').isVisible(), false)
    await page.getByText('API compatibility').click()
    await page.getByLabel('Preview comments').waitFor()
    await button('Resume').click()
    await button('Pause').waitFor()
    assert.equal((await dashboard.server.visit(host, '/')).status, 200)
  })

  test('a project is renamed, offered, and deleted once its name was typed', async () => {
    await open('')
    const named = `${shop.name}-new`
    await page.getByLabel('Project name').fill(named)
    await button('Rename').click()
    await page.waitForURL(`**/projects/${named}/settings`)
    assert.equal((await shop.call(`GET /v9/projects/${named}`)).status, 200)

    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Advanced' }).click()
    await button('Transfer project…').click()
    await page.getByText("variables and domains can't be changed").waitFor()
    const { body: unoffered } = await shop.call(`GET /v9/projects/${named}`)
    assert.equal(unoffered.transferStartedAt, undefined, 'nothing is offered before it is confirmed')
    await button('Create transfer code').click()
    await page.getByRole('heading', { name: 'Transfer code' }).waitFor()
    await button('Done').click()
    await button('Cancel transfer').click()
    await said('Transfer cancelled.')

    await button('Delete…').click()
    await page.getByLabel(`Type “${named}” to confirm`).fill(shop.name)
    assert.equal(await button('Delete project').isDisabled(), true)
    await page.getByLabel(`Type “${named}” to confirm`).fill(named)
    await button('Delete project').click()
    await page.waitForURL(`**/a/${ada.username}`)
    assert.equal((await shop.call(`GET /v9/projects/${named}`)).status, 404)
    assert.notEqual((await dashboard.server.visit(host, '/')).status, 200)
  })
})
