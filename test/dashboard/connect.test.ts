import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { withoutChromium } from '#test/support/browser/chromium.ts'
import { type DashboardTest, openDashboard } from '#test/support/browser/dashboard.ts'
import type { Account } from '#test/support/server.ts'

describe('teams, webhooks, drains and integrations', { skip: withoutChromium }, () => {
  let dashboard: DashboardTest
  let ada: Account
  let team: string
  const call = (on: string, body?: unknown, token = ada.token) =>
    dashboard.server.call(on, { token, ...(body !== undefined && { body }) })

  before(async () => {
    dashboard = await openDashboard({
      env: { ALOFT_PRIVATE_TARGETS: '127.0.0.0/8', ALOFT_VERIFY_LOG_DRAINS: 'off' },
    })
    ada = await dashboard.server.signUp('ada@aloft.test')
    team = (await call('POST /v1/teams', { slug: 'acme' })).body.id
    await call(`POST /v10/projects?teamId=${team}`, { name: 'shop' })
  })
  after(() => dashboard?.close())

  test('a team is made from the switcher', async () => {
    const page = await dashboard.openPage(ada)
    await page
      .getByRole('button', { name: /^Account:/ })
      .first()
      .click()
    await page.getByRole('menuitem', { name: 'New team' }).click()
    await page.getByLabel('Team slug').fill('second')
    await page.getByRole('button', { name: 'Create team' }).click()
    await page.waitForURL('**/a/second')
    const { body } = await call('GET /v1/teams?slug=second')
    assert.equal(body.slug, 'second')
  })

  test('somebody without an account is invited, and the button of the email makes them a member', async () => {
    const page = await dashboard.openPage(ada, '/a/acme/members')
    await page.getByRole('button', { name: 'Add member' }).click()
    await page.getByLabel('Email').fill('lise@aloft.test')
    await page.getByRole('dialog').getByRole('button', { name: 'Add member' }).click()
    await page.getByText('the link was printed in its terminal').waitFor()
    await page.getByRole('button', { name: 'Revoke the invitation for lise@aloft.test' }).waitFor()
    await dashboard.look(page, 'members-invited')

    const [mail] = await dashboard.server.mails('lise@aloft.test')
    await page.context().clearCookies()
    await page.goto('about:blank')
    await page.setContent(mail?.html ?? '')
    await page.getByRole('link', { name: 'Accept invitation' }).click()
    await page.getByText('You have been invited to join').waitFor()
    await page.getByRole('button', { name: 'Accept invitation' }).click()
    await page.waitForURL('**/a/acme')
    await page
      .getByRole('button', { name: /^Account:/ })
      .first()
      .waitFor()
    const members = (await call(`GET /v1/teams/${team}/members`)).body
    assert.ok(members.some(({ email }: { email: string }) => email === 'lise@aloft.test'))
  })

  test('a member is added, told by mail, made an owner and removed', async () => {
    await dashboard.server.signUp('grace@aloft.test')
    const page = await dashboard.openPage(ada, '/a/acme/members')
    await page.getByRole('button', { name: 'Add member' }).click()
    await page.getByLabel('Email').fill('grace@aloft.test')
    await page.getByRole('dialog').getByRole('button', { name: 'Add member' }).click()
    await page.getByText('grace@aloft.test', { exact: true }).waitFor()
    assert.equal((await dashboard.server.mails('grace@aloft.test')).length, 1)
    await dashboard.look(page, 'members')

    const member = async () =>
      (await call(`GET /v1/teams/${team}/members`)).body.find(
        ({ email }: { email: string }) => email === 'grace@aloft.test',
      )
    await page.getByLabel('Role of grace').selectOption('OWNER')
    await page.getByText('Role changed.').waitFor()
    assert.equal((await member()).role, 'OWNER')
    await page.getByLabel('Role of grace').selectOption('MEMBER')
    await page.getByRole('button', { name: 'Remove grace' }).click()
    await page.getByRole('button', { name: 'Remove member' }).click()
    await page.getByText('grace@aloft.test', { exact: true }).waitFor({ state: 'detached' })
    assert.equal(await member(), undefined)
  })

  test('a team gets another name, and its pages move along', async () => {
    const page = await dashboard.openPage(ada, '/a/second/settings')
    await page.getByLabel('Team slug').fill('renamed')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL('**/a/renamed/settings')
    await page.getByRole('switch').click()
    await page.getByRole('switch', { checked: false }).waitFor()
    await dashboard.look(page, 'team-settings')
    const { body } = await call('GET /v1/teams?slug=renamed')
    assert.equal(body.membersMayEditProduction, false)
  })

  test('a webhook is made, its deliveries are seen as they come, and sent again', async () => {
    const page = await dashboard.openPage(ada, '/a/acme/webhooks')
    await page.getByText('No webhooks yet').waitFor()
    await dashboard.look(page, 'webhooks-empty')
    await page.getByRole('button', { name: 'New webhook' }).click()
    await page.getByLabel('URL').fill('http://127.0.0.1:9/hook')
    await page.getByLabel('Project created').check()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByText('Copy the secret now').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('link', { name: 'http://127.0.0.1:9/hook' }).click()
    await page.getByText('No deliveries yet').waitFor()

    // Nobody touches the page: it hears of it.
    await call(`POST /v10/projects?teamId=${team}`, { name: 'blog' })
    await page.getByRole('cell', { name: 'project.created', exact: true }).waitFor()
    await dashboard.server.runJobs()
    await dashboard.look(page, 'webhook')
    await page.getByRole('button', { name: 'View delivery of project.created' }).click()
    await page.getByText('"name": "blog"').waitFor()
    await page.getByRole('button', { name: 'Redeliver' }).click()
    await page.getByText('Redelivery queued').waitFor()
  })

  test('a drain is made and removed', async () => {
    const page = await dashboard.openPage(ada, '/a/acme/drains')
    await page.getByRole('button', { name: 'New log drain' }).click()
    await page.getByLabel('Name').fill('collector')
    await page.getByLabel('URL').fill('ftp://nowhere')
    await page.getByRole('button', { name: 'Create log drain' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('URL').fill('http://127.0.0.1:9/logs')
    await page.getByRole('button', { name: 'Create log drain' }).click()
    await page.getByRole('cell', { name: 'http://127.0.0.1:9/logs' }).waitFor()
    await dashboard.look(page, 'drains')
    await page.getByRole('button', { name: 'Remove collector' }).click()
    await page.getByRole('button', { name: 'Remove log drain' }).click()
    await page.getByText('No log drains yet').waitFor()
    assert.deepEqual((await call(`GET /v1/log-drains?teamId=${team}`)).body, [])
  })

  test('an application is registered, installed by consent, widened, agreed to and removed', async () => {
    const page = await dashboard.openPage(ada, '/a/acme/applications')
    await page.getByRole('button', { name: 'New application' }).click()
    await page.getByLabel('Name').fill('Watcher')
    await page.getByLabel('Redirect URL').fill('http://aloft.test/a/acme/integrations')
    await page.getByRole('button', { name: 'Create application' }).click()
    await page.getByText('Copy the client secret now').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('heading', { name: 'Watcher' }).waitFor()
    await dashboard.look(page, 'applications')

    await page.getByRole('link', { name: 'Install' }).click()
    await page
      .getByRole('button', { name: /allow|install|let/i })
      .first()
      .click()
    await page.waitForURL('**/a/acme/integrations?**')
    await page.getByRole('link', { name: 'watcher' }).waitFor()
    await dashboard.look(page, 'integrations')

    const [application] = (await call(`GET /v1/integrations/applications?teamId=${team}`)).body.applications
    await call(`PATCH /v1/integrations/applications/${application.id}?teamId=${team}`, {
      scopes: { project: 'read', deployment: 'read' },
    })
    await dashboard.server.runJobs()
    await page.getByText('Needs approval').waitFor()
    await page.getByRole('link', { name: 'watcher' }).click()
    await page.getByText('Additional access requested').waitFor()
    await dashboard.look(page, 'integration')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Additional access requested').waitFor({ state: 'detached' })
    const [installed] = (await call(`GET /v1/integrations/configurations?teamId=${team}`)).body
    assert.deepEqual([...installed.scopes].sort(), ['read:deployment', 'read:project'])

    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('button', { name: 'Remove integration' }).click()
    await page.getByText('No integrations installed').waitFor()
  })

  test('the audit log tells who did what', async () => {
    const page = await dashboard.openPage(ada, '/a/acme/audit')
    const created = page.getByRole('row', { name: /ada created the project blog/ })
    await created.waitFor()
    // She has left the team since.
    await page.getByRole('row', { name: /ada changed the role of grace to owner/ }).waitFor()
    await dashboard.look(page, 'audit')
    await page.getByLabel('Kind of change').selectOption('Deleted')
    await page.waitForURL('**/a/acme/audit?action=DELETE')
    await created.waitFor({ state: 'detached' })
    await page.getByLabel('Kind of change').selectOption('All changes')
    await page.getByLabel('Filter').fill('the project BLOG')
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' })
    await created.getByRole('link', { name: 'blog' }).click()
    await page.waitForURL('**/a/acme/projects/blog')
  })
})
