import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { withoutChromium } from '#test/support/browser/chromium.ts'
import { type DashboardTest, openDashboard } from '#test/support/browser/dashboard.ts'
import type { Account } from '#test/support/server.ts'

describe('what is yours alone', { skip: withoutChromium }, () => {
  let dashboard: DashboardTest
  let ada: Account
  before(async () => {
    dashboard = await openDashboard()
    ada = await dashboard.server.signUp('ada@aloft.test')
  })
  after(() => dashboard?.close())

  test('the profile says who you are', async () => {
    const page = await dashboard.openPage(ada, '/account')
    await page.getByRole('heading', { name: 'Profile' }).waitFor()
    assert.match(await page.getByRole('main').innerText(), /ada@aloft\.test[\s\S]*enterprise/)
    await dashboard.look(page, 'profile')
  })

  test('a token is made, shown once, works, and is revoked', async () => {
    const page = await dashboard.openPage(ada, '/account/tokens')
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Name').fill('CI of the shop')
    await page.getByRole('button', { name: 'Create token' }).click()
    const bearer = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
    assert.equal((await dashboard.server.call('GET /v2/user', { token: bearer })).body.user.id, ada.id)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('cell', { name: 'CI of the shop', exact: true }).waitFor()
    assert.ok(!(await page.content()).includes(bearer))
    await dashboard.look(page, 'tokens')

    await page.getByRole('button', { name: 'Revoke CI of the shop' }).click()
    await page.getByRole('button', { name: 'Revoke token' }).click()
    await page.getByRole('cell', { name: 'CI of the shop', exact: true }).waitFor({ state: 'detached' })
    assert.equal((await dashboard.server.call('GET /v2/user', { token: bearer })).status, 403)
  })

  test('an SSH key is added and removed, and what is none says why', async () => {
    const page = await dashboard.openPage(ada, '/account/ssh-keys')
    const key = `ssh-ed25519 ${Buffer.concat([
      Buffer.from([0, 0, 0, 11]),
      Buffer.from('ssh-ed25519'),
      Buffer.from([0, 0, 0, 32]),
      Buffer.alloc(32, 7),
    ]).toString('base64')} ada@laptop`
    await page.getByRole('button', { name: 'Add SSH key' }).click()
    await page.getByLabel('Public key').fill('nothing')
    await page.getByRole('button', { name: 'Add key' }).click()
    await page.getByText('should be one line of a `.pub` file').waitFor()
    await page.getByLabel('Public key').fill(key)
    await page.getByRole('button', { name: 'Add key' }).click()
    await page.getByRole('cell', { name: 'ada@laptop', exact: true }).waitFor()
    await dashboard.look(page, 'ssh-keys')
    await page.getByRole('button', { name: 'Remove ada@laptop' }).click()
    await page.getByRole('button', { name: 'Remove key' }).click()
    await page.getByRole('cell', { name: 'ada@laptop', exact: true }).waitFor({ state: 'detached' })
  })

  test('another browser is signed out, and is led to the login', async () => {
    const other = await dashboard.openAnother(ada, '/account/sessions')
    const page = await dashboard.openPage(ada, '/account/sessions')
    await page.getByText('Current session').waitFor()
    await dashboard.look(page, 'sessions')
    await page.getByRole('button', { name: 'Sign out of all other sessions' }).click()
    await page.getByRole('button', { name: 'Sign out of all other sessions' }).waitFor({ state: 'detached' })
    await other.reload()
    await other.waitForURL('**/login?next=%2Faccount%2Fsessions')
  })

  test('the palette finds pages, and goes there by keys alone', async () => {
    const page = await dashboard.openPage(ada, '/account')
    await page.getByRole('heading', { name: 'Profile' }).waitFor()
    await page.keyboard.press('Control+k')
    await dashboard.look(page, 'palette')
    await page.keyboard.type('certi')
    await page.getByRole('option', { name: 'Certificates', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/a/${ada.username}/certificates`)
  })

  test('a team is made by keys alone, and a person has no settings of a team', async () => {
    const page = await dashboard.openPage(ada, '/account')
    await page.getByRole('heading', { name: 'Profile' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('new team')
    await page.getByRole('option', { name: 'New team', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New team' }).waitFor()
    await page.keyboard.type('by-keys')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/a/by-keys')
    for (const path of ['settings', 'members']) {
      await page.goto(`http://aloft.test/a/${ada.username}/${path}`)
      await page.waitForURL('**/account')
      await page.getByRole('heading', { name: 'Profile' }).waitFor()
    }
  })

  test('the palette finds settings by other words, deployments and domains; / and ? work', async () => {
    const { body } = await dashboard.server.call('POST /v8/platform/deployments', {
      token: ada.token,
      body: {
        name: 'shop',
        version: 2,
        files: [{ file: 'index.html', data: 'hi' }],
        meta: { gitBranch: 'spring' },
      },
    })
    await dashboard.server.call('POST /v4/domains', { token: ada.token, body: { name: 'palette.example' } })
    const page = await dashboard.openPage(ada, `/a/${ada.username}/projects/shop`)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const find = async (typed: string, option: string | RegExp, url: string | RegExp) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search' }).fill(typed)
      await page.getByRole('option', { name: option, selected: true }).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(url)
    }
    await find('env', /Environment variables/, '**/projects/shop/settings/variables')
    await find('password', /Protection|Set a password/, '**/projects/shop/settings/protection')
    await find('spring', body.url.split('.')[0], `**/deployments/${body.id}`)
    await find('palette.ex', 'palette.example', '**/domains/palette.example')
    await page.goto(`http://aloft.test/a/${ada.username}`)
    await page.getByRole('link', { name: 'shop', exact: true }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('sh')
    await page.waitForURL(/\?q=sh$/)
    await page.getByRole('heading', { name: 'Projects' }).click()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await dashboard.look(page, 'shortcuts')
  })
})
