import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { openChromium, takePicture, withoutChromium } from '#test/support/browser/chromium.ts'
import { startServer, type TestServer } from '#test/support/server.ts'

const LOOKS = [
  ['light', 1280, 800],
  ['dark', 1280, 800],
  ['light', 360, 640],
  ['dark', 360, 640],
] as const

describe('a visitor with a browser', { skip: withoutChromium }, () => {
  let server: TestServer
  let browser: Browser
  let token: string
  before(async () => {
    server = await startServer({ env: { ALOFT_DOMAIN: 'sites.test' } })
    token = (await server.signUp()).token
    browser = await openChromium({ names: '*.test', url: server.url })
  })
  after(async () => {
    await browser?.close()
    await server?.close()
  })

  async function site(name: string, settings: object): Promise<string> {
    const { body } = await server.call('POST /v8/platform/deployments', {
      token,
      body: {
        name,
        version: 2,
        target: 'production',
        files: [
          { file: 'index.html', data: '<h1>Inside</h1><form method="post"><button>Post</button></form>' },
        ],
      },
    })
    const { status } = await server.call(`PATCH /v9/projects/${name}`, { token, body: settings })
    assert.equal(status, 200)
    return body.url
  }

  /** Nothing sticks out at the sides, however narrow; and a picture where one is wanted. */
  async function look(page: Page, name: string): Promise<void> {
    for (const [colorScheme, width, height] of LOOKS) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height })
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert.ok(Number(overflow) <= 0, `${name} is wider than ${width}`)
      await takePicture(page, `${name}-${colorScheme}-${width}`)
    }
  }

  test('enters the password without script, and is where they wanted to go', async () => {
    const host = await site('locked', {
      passwordProtection: { deploymentType: 'all', password: 'open sesame' },
    })
    // The pages have no script; what looks at them from outside does.
    const context = await browser.newContext()
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) complaints.push(message.text())
    })
    const first = await page.goto(`http://${host}/?a=b`)
    assert.equal(first?.status(), 401)
    assert.equal(
      await page.getByLabel('Password').evaluate((input) => input === input.ownerDocument.activeElement),
      true,
    )
    await look(page, 'password')
    await page.getByLabel('Password').fill('open barley')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    assert.equal(await page.getByRole('alert').textContent(), 'Incorrect password. Try again.')
    await look(page, 'password-wrong')
    await page.getByLabel('Password').fill('open sesame')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL(`http://${host}/?a=b`)
    assert.equal(await page.textContent('h1'), 'Inside')
    await page.reload()
    assert.equal(await page.textContent('h1'), 'Inside', 'nothing is posted twice')
    const [cookie] = await context.cookies(`http://${host}`)
    assert.deepEqual(
      [cookie?.name, cookie?.httpOnly, cookie?.sameSite, cookie?.domain],
      ['_platform_jwt', true, 'Lax', host],
    )
    assert.deepEqual(complaints, [])
    await context.close()
  })

  test('is stopped after too many wrong passwords', async () => {
    const host = await site('guessed', {
      passwordProtection: { deploymentType: 'all', password: 'open sesame' },
    })
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`http://${host}/`)
    for (let i = 0; i < 11; i++) {
      await page.getByLabel('Password').fill(`guess ${i}`)
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
    }
    assert.equal(await page.title(), '429: Too many attempts')
    await context.close()
  })

  test('is told why there is nothing to see', async () => {
    const paused = await site('paused', {})
    await server.call('POST /v1/projects/paused/pause', { token })
    const members = await site('members', { ssoProtection: { deploymentType: 'all' } })
    const context = await browser.newContext()
    const page = await context.newPage()
    assert.equal((await page.goto(`http://${paused}/`))?.status(), 503)
    assert.equal(await page.textContent('h1'), 'Deployment paused')
    await look(page, 'paused')
    assert.equal((await page.goto(`http://${members}/_platform/sso?nonce=used&url=/`))?.status(), 401)
    await look(page, 'sign-in-once-more')
    await page.goto('http://nobody.sites.test/')
    assert.equal(await page.textContent('h1'), 'Deployment not found')
    await look(page, 'not-found')
    await context.close()
  })
})
