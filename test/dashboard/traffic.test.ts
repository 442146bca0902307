import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { ProjectLogEntry } from '#contract/api/project-log.ts'
import { createInstanceLog } from '#core/log/write/instance-log.ts'
import { withoutChromium } from '#test/support/browser/chromium.ts'
import { type DashboardTest, openDashboard } from '#test/support/browser/dashboard.ts'
import type { Account } from '#test/support/server.ts'

describe('logs and analytics in the dashboard', { skip: withoutChromium }, () => {
  let dashboard: DashboardTest
  let ada: Account
  let host: string
  let deploymentId: string
  let projectId: string
  before(async () => {
    dashboard = await openDashboard()
    ada = await dashboard.server.signUp('ada@aloft.test')
    const files = [
      { file: 'index.html', data: '<h1>Shop</h1>' },
      { file: 'about.html', data: '<h1>About</h1>' },
    ]
    const { body } = await dashboard.server.call('POST /v8/platform/deployments', {
      token: ada.token,
      body: { name: 'shop', version: 2, files, target: 'production' },
    })
    ;[host, deploymentId, projectId] = [body.aliasFinal[0], body.id, body.projectId]
  })
  after(() => dashboard?.close())

  const pathOf = (rest: string) => `/a/${ada.username}/projects/shop/${rest}`
  const written = () => dashboard.server.flushLogs()
  const paths = async (page: Page): Promise<string[]> =>
    (await page.getByRole('list', { name: 'Log' }).locator('[title^="/"]').allInnerTexts()).map((text) =>
      text.trim(),
    )

  test('pages without visits say what would be there', async () => {
    const page = await dashboard.openPage(ada, pathOf('logs'))
    await page.getByText('No logs yet').waitFor()
    await dashboard.look(page, 'logs-none')
    await page.getByRole('link', { name: 'Analytics', exact: true }).click()
    await page.getByText('No requests in the last 24 hours').waitFor()
    await dashboard.look(page, 'analytics-none')
  })

  test('visits are listed with what was written, filtered, followed and kept', async () => {
    const { server } = dashboard
    const agent = { 'user-agent': 'Shopper/1.0' }
    for (const path of [
      '/',
      '/about.html',
      '/missing',
      '/?q=<script>alert(1)</script>',
      '/',
      '/admin/login',
    ]) {
      await server.visit(host, path, agent)
      // Before the next one, whichever server has answered it.
      await written()
    }
    const page = await dashboard.openPage(ada, pathOf('logs'))
    await page.getByTitle('/admin/login').waitFor()
    assert.deepEqual((await paths(page)).slice(0, 2), ['/admin/login', '/'])

    // What a program wrote during a visit stands under it.
    const { body } = await server.call('GET /v1/projects/shop/logs?path=/missing', { token: ada.token })
    const [missing] = body.entries as readonly Extract<ProjectLogEntry, { type: 'request' }>[]
    assert.ok(missing)
    const log = createInstanceLog({ writer: server.parts.logWriter, clock: server.clock, region: 'iad1' })
    const line = {
      deploymentId,
      projectId,
      instanceId: 'i1',
      source: 'lambda',
      entrypoint: 'api/hello',
    } as const
    log.write({
      ...line,
      text: '\u001b[31mno such page\u001b[0m',
      requestId: missing.requestId,
      stream: 'stderr',
    })
    log.write({ ...line, text: 'a line by itself' })
    await written()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('a line by itself').waitFor()
    await page.getByRole('button', { name: /\/missing.*1 line/ }).click()
    await page.getByText('no such page').waitFor()
    await page.getByText('Shopper/1.0').waitFor()
    await page.getByRole('link', { name: deploymentId }).waitFor()
    await dashboard.look(page, 'logs')

    await page.getByLabel('Status').selectOption('4xx')
    await page.getByTitle('/about.html').waitFor({ state: 'detached' })
    assert.deepEqual(await paths(page), ['/admin/login', '/missing'])
    await page.getByLabel('Path').fill('*login')
    await page.getByTitle('/missing').waitFor({ state: 'detached' })
    assert.deepEqual(await paths(page), ['/admin/login'])
    assert.match(page.url(), /status=4xx/)
    await page.reload()
    await page.getByTitle('/admin/login').waitFor()
    assert.deepEqual(await paths(page), ['/admin/login'])
    await page.getByLabel('Text').fill('nothing holds this')
    await page.getByText('No matching entries').waitFor()
    await page.getByRole('link', { name: 'Clear filters' }).click()
    await page.getByTitle('/about.html').waitFor()
    await page.getByLabel('Type').selectOption('Output (stdout and stderr)')
    await page.getByText('no such page').waitFor()
    assert.deepEqual(await paths(page), [])

    await page.goto(`http://aloft.test${pathOf('logs?status=2xx')}`)
    await page.getByRole('switch', { name: 'Live' }).click()
    await page.getByRole('status').getByText('Live').waitFor()
    await server.visit(host, '/never-there')
    await server.visit(host, '/about.html?live=1')
    await page.getByTitle('/about.html?live=1').waitFor()
    assert.equal(await page.getByTitle('/never-there').count(), 0)
    assert.equal(new Set(await page.getByRole('listitem').allInnerTexts()).size > 1, true)
    await dashboard.look(page, 'logs-live')

    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    const lines = (await readFile(await (await saving).path(), 'utf8')).trimEnd().split('\n')
    const kept = lines.map((text) => JSON.parse(text))
    assert.equal(kept[0].path, '/about.html?live=1')
    assert.ok(kept.every(({ status }) => status === 200))
    assert.equal(new Set(kept.map(({ id }) => id)).size, kept.length)
  })

  test('older entries are shown on demand', async () => {
    for (let i = 0; i < 120; i++) await dashboard.server.visit(host, `/many?n=${i}`)
    await written()
    const page = await dashboard.openPage(ada, pathOf('logs?path=/many'))
    await page.getByTitle('/many?n=119').waitFor()
    assert.equal((await paths(page)).length, 100)
    await page.getByRole('button', { name: 'Load more' }).click()
    await page.getByTitle('/many?n=0', { exact: true }).waitFor({ state: 'attached' })
    assert.equal((await paths(page)).length, 120)
  })

  test('counts are those of the visits', async () => {
    const page = await dashboard.openPage(ada, pathOf('analytics'))
    await page.getByRole('button', { name: 'Refresh' }).waitFor()
    await dashboard.server.endTraffic()
    const { body } = await dashboard.server.call('GET /v1/projects/shop/analytics', { token: ada.token })
    assert.ok(body.totals.requests > 100)
    await page.getByRole('button', { name: 'Refresh' }).click()
    const top = page.getByRole('table', { name: 'Top paths' })
    await top.getByRole('link', { name: '/many' }).waitFor()
    await page.locator('.uplot canvas').nth(3).waitFor()
    const shown = await page.getByRole('main').innerText()
    assert.match(shown, new RegExp(`Requests\\s+${body.totals.requests}\\b`))
    assert.match(await top.innerText(), /\/many\s+120/)
    await dashboard.look(page, 'analytics')

    await page.getByLabel('Time').selectOption('Last hour')
    await page.waitForURL(/range=1h/)
    await page.getByRole('button', { name: 'Show table: Requests' }).click()
    const points = page.getByRole('table', { name: 'Requests' })
    await points.waitFor()
    const counted = (await points.locator('tbody td').allInnerTexts()).map(Number)
    assert.equal(
      counted.reduce((sum, each) => sum + each, 0),
      body.totals.requests,
    )
    await top.getByRole('link', { name: '/many' }).click()
    await page.waitForURL(/logs\?path=%2Fmany/)
  })
})
