import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openChromium, takePicture, wantsPictures, withoutChromium } from '#test/support/browser/chromium.ts'
import { sessionCookie } from '#test/support/browser/session-cookie.ts'
import { type Receiver, startReceiver } from '#test/support/http/receiver.ts'
import { exchange, registerApplication } from '#test/support/integrations.ts'
import { startServer, type TestServer } from '#test/support/server.ts'

describe('a person who is asked to let an application in', { skip: withoutChromium }, () => {
  let server: TestServer
  let browser: Browser
  /** The application, which is somewhere else. */
  let application: Receiver
  before(async () => {
    server = await startServer({ env: { ALOFT_API_HOSTS: '127.0.0.1' } })
    application = await startReceiver()
    browser = await openChromium()
  })
  after(async () => {
    await browser?.close()
    await application?.close()
    await server?.close()
  })

  test('chooses a team and projects without script, and is sent back to the application', async () => {
    const user = await server.signUp('jo@aloft.test')
    const { body: team } = await server.call('POST /v1/teams', {
      token: user.token,
      body: { slug: 'acme', name: 'Acme Inc.' },
    })
    for (const name of ['shop', 'blog', 'documentation'])
      await server.call(`POST /v10/projects?teamId=${team.id}`, { token: user.token, body: { name } })
    const registered = await registerApplication(server, user.token, {
      name: 'Deploy Watcher',
      note: 'Tells your chat when a deployment is ready.',
      redirectUrl: `${application.url}/callback`,
      scopes: {
        'integration-configuration': 'read',
        deployment: 'read',
        project: 'read',
        'project-env-vars': 'read-write',
      },
    })
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await context.addCookies([{ ...(await sessionCookie(server, user)), url: server.url }])
    await page.goto(`${server.url}/oauth/authorize?client_id=${registered.clientId}&state=the-state`)
    assert.equal(await page.getByRole('heading').first().textContent(), 'Authorize Deploy Watcher?')
    await page.getByLabel('Account').selectOption('Acme Inc.')
    await page.getByRole('button', { name: 'Switch' }).click()
    await page.waitForURL('**teamId=team_**')
    assert.equal(await page.getByLabel('shop').isVisible(), false)
    await page.getByLabel('Selected projects').check()
    await page.getByLabel('shop').check()
    if (wantsPictures)
      for (const [name, colorScheme, width] of [
        ['light', 'light', 1200],
        ['dark', 'dark', 1200],
        ['phone', 'light', 390],
      ] as const) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 900 })
        await takePicture(page, `consent-${name}`)
      }
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${application.url}/callback**`)
    const back = new URL(page.url()).searchParams
    assert.deepEqual([back.get('state'), back.get('teamId')], ['the-state', team.id])
    assert.equal(application.received.length > 0, true)
    const { body } = await exchange(server, registered, back.get('code') ?? '')
    assert.equal(body.team_id, team.id)
    const seen = await server.call(`GET /v9/projects?teamId=${team.id}`, { token: body.access_token })
    assert.deepEqual(
      seen.body.projects.map(({ name }: { name: string }) => name),
      ['shop'],
    )
    await context.close()
  })
})
