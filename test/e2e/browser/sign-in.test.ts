import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { openChromium, withoutChromium } from '#test/support/browser/chromium.ts'
import { startServer, type TestServer } from '#test/support/server.ts'

/** Names as on the internet: the API and the sites are different origins, and neither is the browser's own machine. */
const env = {
  ALOFT_BASE_URL: 'http://aloft.test',
  ALOFT_API_HOSTS: 'aloft.test,127.0.0.1',
  ALOFT_DOMAIN: 'sites.test',
}

describe('a person with a browser', { skip: withoutChromium }, () => {
  let server: TestServer
  let browser: Browser
  before(async () => {
    server = await startServer({ env })
    browser = await openChromium({ names: '*.test', url: server.url })
  })
  after(async () => {
    await browser?.close()
    await server?.close()
  })

  const signIn = async (page: Page, email: string) => {
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Print sign-in link' }).click()
    await page.waitForURL('**/login/wait**')
    const code = await page.locator('.code').textContent()
    const mail = (await server.mails(email)).at(-1)
    assert.ok(mail?.subject?.endsWith(code ?? 'none'))
    await server.call(`POST ${/\/login\/accept\?token=\w+/.exec(mail?.text ?? '')?.[0]}`)
  }

  const guard = async (token: string, name: string): Promise<string> => {
    const { body } = await server.call('POST /v8/platform/deployments', {
      token,
      body: { name, version: 2, files: [{ file: 'index.html', data: `<h1>${name}</h1>` }] },
    })
    const guarded = await server.call(`PATCH /v9/projects/${name}`, {
      token,
      body: { ssoProtection: { deploymentType: 'all' } },
    })
    assert.equal(guarded.status, 200)
    return body.url
  }

  test('signs in on the way to a guarded site, without script', async () => {
    const owner = await server.signUp('owner@aloft.test')
    const host = await guard(owner.token, 'guarded')
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) complaints.push(message.text())
    })

    await page.goto(`http://${host}/?a=b`)
    assert.equal(new URL(page.url()).host, 'aloft.test')
    assert.equal(await page.title(), 'Sign in · Aloft')
    await signIn(page, owner.email)
    // Nobody touches the page: it goes on by itself, over the session to the pass and into the site.
    await page.waitForURL(`http://${host}/?a=b`)
    assert.equal(await page.textContent('h1'), 'guarded')

    await page.goto('http://aloft.test/login')
    assert.ok((await page.textContent('main'))?.includes(owner.email))
    const foreign = await guard((await server.signUp('other@aloft.test')).token, 'foreign')
    await page.goto(`http://${foreign}/`)
    assert.equal(await page.title(), 'Access denied · Aloft')
    await page.getByRole('button', { name: 'Sign in with a different account' }).click()
    await signIn(page, 'other@aloft.test')
    await page.waitForURL(`http://${foreign}/`)
    assert.equal(await page.textContent('h1'), 'foreign')

    await page.goto('http://aloft.test/logout')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('http://aloft.test/login')
    assert.deepEqual(
      (await context.cookies('http://aloft.test')).map(({ name }) => name),
      ['aloft_login'],
    )
    assert.deepEqual(complaints, [])
    await context.close()
  })

  test('is not signed out, nor made to call the API, by another site', async () => {
    const { token, email } = await server.signUp('victim@aloft.test')
    const { body } = await server.call('POST /v8/platform/deployments', {
      token,
      body: {
        name: 'evil',
        version: 2,
        files: [
          {
            file: 'index.html',
            data: '<form method="post" action="http://aloft.test/logout"><button>Win a prize</button></form>',
          },
        ],
      },
    })
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto('http://aloft.test/login')
    await signIn(page, email)
    await page.waitForURL('http://aloft.test/')
    const before = await context.cookies('http://aloft.test')

    await page.goto(`http://${body.url}/`)
    await page.getByRole('button').click()
    await page.waitForURL('http://aloft.test/logout')
    assert.equal(await page.title(), 'Something went wrong · Aloft')
    await page.goto(`http://${body.url}/`)
    const read = await page.evaluate(() =>
      fetch('http://aloft.test/v2/user', { credentials: 'include' }).then(
        () => 'read',
        () => 'refused',
      ),
    )
    assert.equal(read, 'refused')
    assert.deepEqual(await context.cookies('http://aloft.test'), before)
    const answer = await page.goto('http://aloft.test/v2/user')
    assert.equal(answer?.status(), 200)
    await context.close()
  })
})
