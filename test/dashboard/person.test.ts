import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { withoutChromium } from '#test/support/browser/chromium.ts'
import { type DashboardTest, openDashboard } from '#test/support/browser/dashboard.ts'
import { sessionCookie } from '#test/support/browser/session-cookie.ts'
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

  test('after signing in again in another tab what was filled in is saved, and never by somebody else', async () => {
    const { server } = dashboard
    const eve = await server.signUp('eve@aloft.test')
    const page = await dashboard.openPage(ada, '/account/tokens')
    const signIn = async (account: Account): Promise<void> => {
      const cookie = await sessionCookie(server, account)
      await page
        .context()
        .addCookies([{ ...cookie, url: new URL(page.url()).origin, httpOnly: true, sameSite: 'Lax' }])
    }
    const fill = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'New token' }).click()
      await page.getByLabel('Name').fill(name)
    }
    const create = () => page.getByRole('button', { name: 'Create token' }).click()
    await fill('before')
    await create()
    await page.getByRole('button', { name: 'Done' }).click()
    await fill('after')
    await signIn(ada)
    await create()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('cell', { name: 'after', exact: true }).waitFor()
    await fill('of whom')
    await page.context().clearCookies()
    for (const _ of [1, 2]) {
      const refused = page.waitForResponse((answer) => answer.url().endsWith('/v1/user/session'))
      await create()
      await refused
      const said = page.getByText(/You’re signed out|Can’t reach the server|requires a token/).first()
      assert.match((await said.textContent()) ?? '', /^You’re signed out/)
    }
    await signIn(eve)
    await create()
    await page.getByText(`signed in as ${eve.username} in another tab`).first().waitFor()
    // However often it is tried.
    const answered = page.waitForResponse((answer) => answer.url().endsWith('/v1/user/session'))
    await create()
    await answered
    await page.getByText(`signed in as ${eve.username} in another tab`).first().waitFor()
    for (const { token } of [ada, eve]) {
      const { tokens } = (await server.call('GET /v3/user/tokens', { token })).body
      assert.ok(!tokens.some(({ name }: { name: string }) => name === 'of whom'))
    }
  })

  test('a tab that nobody sees keeps no connection, and shows what it missed', async () => {
    const page = await dashboard.openAnother(ada, '/account')
    await page.addInitScript(`{
      const { EventSource } = window
      window.streams = []
      window.EventSource = class extends EventSource {
        constructor(...given) {
          super(...given)
          window.streams.push(this)
        }
      }
    }`)
    const open = () => page.evaluate<number>('streams.filter(({ readyState }) => readyState < 2).length')
    const until = async (what: string): Promise<void> => {
      while (!(await page.evaluate<boolean>(what))) await setTimeout(50)
    }
    const turn = (hidden: boolean) =>
      page.evaluate(`{
        Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      }`)
    await page.goto(new URL(`/a/${ada.username}`, page.url()).href)
    await page.getByRole('heading', { name: 'Deploy your first site' }).waitFor()
    await until('streams.some(({ readyState }) => readyState === 1)')
    await turn(true)
    await until('streams.every(({ readyState }) => readyState === 2)')
    await dashboard.server.call('POST /v10/projects', { token: ada.token, body: { name: 'unseen' } })
    await turn(false)
    await page.getByText('unseen').first().waitFor()
    assert.equal(await open(), 1)
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
