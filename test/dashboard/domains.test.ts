import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { DAY } from '#contract/time.ts'
import { withoutChromium } from '#test/support/browser/chromium.ts'
import { type DashboardTest, openDashboard } from '#test/support/browser/dashboard.ts'
import { holdRequest } from '#test/support/browser/hold-request.ts'
import { beginDomains, type DomainOwner } from '#test/support/dns/project-domains.ts'
import { createScriptedResolver } from '#test/support/dns/scripted-resolver.ts'
import type { Account } from '#test/support/server.ts'
import { makeAuthority, makeLeaf } from '#test/support/tls/pki.ts'

const ZONE = `@ 3600 IN SOA ns.old.example. admin.old.example. 1 2 3 4 5
shop 300 IN A 192.0.2.7
@ IN MX 10 mail
@ IN TXT "v=spf1 -all"
`

describe('domains, certificates, aliases and secrets', { skip: withoutChromium }, () => {
  const resolver = createScriptedResolver()
  let dashboard: DashboardTest
  let ada: Account
  let shop: DomainOwner
  let page: Page

  before(async () => {
    dashboard = await openDashboard({ resolver, env: { ALOFT_DEFAULT_PLAN: 'enterprise' } })
    ada = await dashboard.server.signUp('ada@aloft.test')
    shop = await beginDomains(dashboard.server, { account: ada })
    await shop.deploy('welcome', 'production')
    page = await dashboard.openPage(ada, `/a/${ada.username}/domains`)
  })
  after(() => dashboard?.close())

  const open = (place: string) => page.goto(`http://aloft.test/a/${ada.username}/${place}`)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const said = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).last().waitFor()
  const records = async (): Promise<
    readonly { type: string; name: string; value: string; creator: string }[]
  > =>
    (await shop.call(`GET /v2/domains/${shop.apex}/records`)).body.records.filter(
      ({ creator }: { creator: string }) => creator !== 'system',
    )

  test('a domain is added and followed until it is verified', async () => {
    await page.getByRole('heading', { name: 'No domains yet' }).waitFor()
    await dashboard.look(page, 'domains-none')
    await button('Add domain').click()
    await page.getByLabel('Domain', { exact: true }).fill(shop.apex)
    await button('Add domain').last().click()
    await page.waitForURL(`**/domains/${shop.apex}`)
    const { body } = await shop.call(`GET /v4/domains/${shop.apex}`)
    await page.getByRole('code').filter({ hasText: body.domain.verificationRecord }).waitFor()
    await dashboard.look(page, 'domain-new')
    // The next click has to find the button as the answer to this one left it.
    const verify = () =>
      Promise.all([
        page.waitForResponse((response) => response.url().endsWith('/verify')),
        button('Verify now').click(),
      ])
    const release = await holdRequest(page, '**/verify')
    const refused = verify()
    await page
      .getByRole('status')
      .filter({ hasText: `Looking up the DNS records of ${shop.apex}` })
      .waitFor()
    release()
    await refused
    await page.getByRole('alert').filter({ hasText: 'prove that the domain is yours' }).waitFor()
    resolver.set('txt', `_platform.${shop.apex}`, [body.domain.verificationRecord])
    await verify()
    await said('is verified.')
    await page.getByText('Verified', { exact: true }).waitFor()
    const verified = await shop.call(`GET /v4/domains/${shop.apex}`)
    assert.equal(verified.body.domain.verified, true)
  })

  test('DNS records are added, changed, imported and deleted', async () => {
    await button('Add record').click()
    await page.getByLabel('Type').selectOption('SRV')
    await page.getByLabel('Name', { exact: true }).fill('_sip._tcp')
    await page.getByLabel('Priority').fill('1')
    await page.getByLabel('Weight').fill('2')
    await page.getByLabel('Port').fill('5060')
    await page.getByLabel('Host').fill('sip.other.example')
    await dashboard.look(page, 'domain-record')
    await button('Add record').last().click()
    await said('Record saved.')
    assert.deepEqual(
      (await records()).map(({ type, name, value }) => [type, name, value]),
      [['SRV', '_sip._tcp', '1 2 5060 sip.other.example']],
    )
    await button('Edit SRV _sip._tcp').click()
    assert.equal(await page.getByLabel('Port').inputValue(), '5060')
    await page.getByLabel('Port').fill('5061')
    await button('Save').click()
    await page.getByText('1 2 5061 sip.other.example').waitFor()
    assert.deepEqual(
      (await records()).map(({ value }) => value),
      ['1 2 5061 sip.other.example'],
    )

    await button('Import zone').click()
    await page.getByLabel('Zone file').fill(ZONE)
    await page.getByText('1 line skipped').waitFor()
    await button('Import 3').click()
    await page.getByText('Created', { exact: true }).nth(2).waitFor()
    await dashboard.look(page, 'domain-import')
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('cell', { name: `10 mail.${shop.apex}` }).waitFor()
    // Under the bar of a phone, what is scrolled away cannot be touched.
    await page.evaluate('scrollTo(0, 0)')
    await dashboard.look(page, 'domain')
    await button('Delete A shop').click()
    await button('Delete record').click()
    await said('Record deleted.')
    assert.deepEqual((await records()).map(({ type }) => type).toSorted(), ['MX', 'SRV', 'TXT'])
  })

  test('a domain is bought for the price that was told, and deleted once its name was typed', async () => {
    await open('domains')
    await button('Buy domain').click()
    await page.getByLabel('Domain', { exact: true }).fill('fresh-and-free.com')
    await button('Check availability').click()
    const { body } = await shop.call('GET /v4/domains/price?name=fresh-and-free.com')
    await page.getByText('fresh-and-free.com is available.').waitFor()
    await dashboard.look(page, 'domain-buy')
    await button(`Buy for $${body.price}`).click()
    await page.waitForURL('**/domains/fresh-and-free.com')
    await said('fresh-and-free.com is yours.')
    assert.notEqual((await shop.call('GET /v4/domains/fresh-and-free.com')).body.domain.boughtAt, null)
    await page.getByRole('heading', { name: 'Nameservers' }).waitFor()
    await page.getByText('DNS check details').waitFor()
    assert.equal(await page.getByText(/at (?:its|your) registrar/).count(), 0, 'it is registered here')
    await button('Delete…').click()
    await page.getByLabel('Type “fresh-and-free.com” to confirm').fill('fresh-and-free.com')
    await button('Delete domain').click()
    await page.waitForURL('**/domains')
    await page.getByRole('link', { name: shop.apex }).waitFor()
    await dashboard.look(page, 'domains')
    assert.equal((await shop.call('GET /v4/domains/fresh-and-free.com')).status, 404)
  })

  test('secrets are added, renamed and deleted, and their values are shown to nobody', async () => {
    await open('secrets')
    await page.getByRole('heading', { name: 'No secrets yet' }).waitFor()
    await button('Add secret').first().click()
    await page.getByLabel('Name').fill('db-password')
    await page.getByLabel('Value').fill('hidden')
    await button('Save secret').click()
    await said('db-password saved.')
    await dashboard.look(page, 'secrets')
    await button('Rename db-password').click()
    await page.getByRole('textbox', { name: 'Name' }).fill('db-key')
    await button('Rename').click()
    await said('Renamed to db-key.')
    const { body } = await shop.call('GET /v2/platform/secrets')
    assert.deepEqual(
      body.secrets.map(({ name }: { name: string }) => name),
      ['db-key'],
    )
    await button('Delete db-key').click()
    await button('Delete secret').click()
    await page.getByRole('heading', { name: 'No secrets yet' }).waitFor()
    assert.deepEqual((await shop.call('GET /v2/platform/secrets')).body.secrets, [])
  })

  test('an alias is assigned to a deployment, and removed', async () => {
    const preview = await shop.deploy('a preview')
    await shop.deploy('elsewhere', undefined, { name: 'another', project: undefined })
    await open('aliases')
    await page.getByRole('row', { name: new RegExp(`^${shop.name}\\.sites\\.test`) }).waitFor()
    await button('Assign alias').click()
    await page.getByLabel('Domain').fill(`beta.${shop.apex}`)
    const offered = () => page.getByLabel('Deployment').locator('option').allTextContents()
    await page.getByLabel('Project').selectOption({ label: 'another' })
    await page.getByLabel('Deployment').getByText('another:').waitFor({ state: 'attached' })
    assert.equal(
      (await offered()).some((label) => label.startsWith(shop.name)),
      false,
    )
    await page.getByLabel('Project').selectOption({ label: shop.name })
    await page.getByLabel('Deployment').selectOption(preview.id)
    await button('Assign').click()
    await said(`beta.${shop.apex} assigned.`)
    assert.equal(await shop.shown(`beta.${shop.apex}`), 'a preview')
    await dashboard.look(page, 'aliases')
    await button(`Remove beta.${shop.apex}`).click()
    await button('Remove alias').click()
    await said(`beta.${shop.apex} removed.`)
    assert.equal(await shop.shown(`beta.${shop.apex}`), 404)
  })

  test('certificates are issued, those that expire soon stand out, and one is deleted', async () => {
    await open('certificates')
    await page.getByRole('heading', { name: 'No certificates yet' }).waitFor()
    await button('Issue certificate').click()
    await page.getByLabel('Domain names').fill(`${shop.apex}\nwww.${shop.apex}`)
    const issue = await holdRequest(page, '**/certs')
    await button('Issue').click()
    await page.getByRole('status').filter({ hasText: 'requesting the certificate' }).waitFor()
    issue()
    await said('Certificate issued.')
    const authority = await makeAuthority()
    const { cert, key } = await makeLeaf(authority, [`old.${shop.apex}`], { to: Date.now() + 5 * DAY })
    const stored = await shop.call('PUT /v3/platform/certs', { cert, key, ca: authority.cert })
    assert.equal(stored.status, 200, JSON.stringify(stored.body))
    const old = page.getByRole('row', { name: /^old\./ })
    await old.getByText(/in \d days/).waitFor()
    await old.getByText('Manual').waitFor()
    await dashboard.look(page, 'certificates')
    await button(`Delete the certificate for old.${shop.apex}`).click()
    await button('Delete certificate').click()
    await said('Certificate deleted.')
    const { certs } = (await shop.call('GET /v3/platform/certs')).body
    assert.deepEqual(
      certs.map(({ cns }: { cns: string[] }) => cns),
      [[shop.apex, `www.${shop.apex}`]],
    )
  })
})
