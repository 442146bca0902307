import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { Program } from '#core/output/output.ts'
import { BuildFailure } from '#core/ports/builder.ts'
import { withoutChromium } from '#test/support/browser/chromium.ts'
import { type DashboardTest, openDashboard } from '#test/support/browser/dashboard.ts'
import { sampleInstance } from '#test/support/samples.ts'
import { outputOf, ScriptedBuilder } from '#test/support/scripted-builder.ts'
import type { Account } from '#test/support/server.ts'

const ESC = '\u001b'
const PACKAGE = { file: 'package.json', data: '{"scripts":{"build":"make-it"}}' }
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mNgYPhPEhrVMKphVAP1NAAAgR8BAQfjX58AAAAASUVORK5CYII='

const PROGRAM: Program = {
  id: 'server',
  runtime: 'node',
  version: '22.x',
  shape: 'handler',
  entry: 'api/hello.js',
  archive: { sha1: 'a'.repeat(40), sha256: 'a'.repeat(64), size: 48_000 },
  fileCount: 3,
  memoryMb: 512,
  maxDuration: 60,
  env: {},
}

describe('deployments in the dashboard', { skip: withoutChromium }, () => {
  const builder = new ScriptedBuilder()
  let dashboard: DashboardTest
  let ada: Account
  before(async () => {
    dashboard = await openDashboard({ workers: { builder } })
    ada = await dashboard.server.signUp('ada@aloft.test')
  })
  after(() => dashboard?.close())

  const call = async (on: string, body?: unknown) =>
    (await dashboard.server.call(on, { token: ada.token, body })).body
  const deploy = (name: string, files: readonly unknown[], more = {}) =>
    call('POST /v8/platform/deployments', { name, version: 2, files, ...more })
  const pathOf = (id: string, rest = '') => `/a/${ada.username}/deployments/${id}${rest}`

  test('a deployment goes its way before your eyes', async (t) => {
    const made = await deploy('shop', [PACKAGE], {
      meta: { gitBranch: 'main', gitCommitSha: 'f00dfeed1234', gitCommitMessage: 'Sell more' },
      env: { GREETING: 'hello' },
    })
    const printed = Promise.withResolvers<void>()
    const ending = Promise.withResolvers<void>()
    t.after(() => ending.resolve())
    builder.next(async ({ deployment }, { began, ended, log }) => {
      const run = deployment.buildRuns[0]?.id ?? ''
      await began(run)
      await log(run).command('npm run build')
      await log(run).stdout(`${ESC}[32m✓${ESC}[39m 34 modules in ${ESC}[1m1.2 s${ESC}[22m`)
      await log(run).stdout('<img src=x onerror="document.title=1">')
      await log(run).stdout(`${ESC}[33mwarning${ESC}[0m: ${ESC}[38;5;117msrc/old.js${ESC}[0m is not used`)
      printed.resolve()
      await ending.promise
      await Promise.all(Array.from({ length: 400 }, (_, i) => log(run).stdout(`step ${i + 1} of 400`)))
      await ended(run)
      return outputOf(
        { 'index.html': 'page', 'style.css': 'h1 {}' },
        {
          routes: [
            { src: '/old', status: 308, headers: { location: '/new' } },
            { src: '/(.*)', headers: { 'x-frame-options': 'DENY' }, continue: true },
            { handle: 'filesystem' },
            { src: '/blog/(.*)', dest: '/api/hello?slug=$1' },
          ],
          functions: [
            { path: 'api/hello', program: 'server' },
            { path: 'feed', program: 'server', prerender: { expiration: 60, passQuery: false } },
          ],
          programs: [PROGRAM],
        },
      )
    })
    const page = await dashboard.openPage(ada, pathOf(made.id))
    await page.getByText('Queued: in progress').waitFor()
    await page.getByText('Waiting for output').waitFor()
    const jobs = dashboard.server.runJobs()
    await printed.promise
    await page.getByText('Building: in progress').waitFor()
    const log = page.getByRole('log')
    await log.getByText('34 modules').waitFor()
    assert.equal(await log.locator('img').count(), 0)
    assert.equal(await log.getByText('warning').getAttribute('style'), 'color: var(--warn);')
    await dashboard.look(page, 'deployment-building')

    ending.resolve()
    await jobs
    await page.getByText('Ready: done').waitFor()
    await log.getByText('step 400 of 400').waitFor()
    const isAtEnd = () =>
      log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 40 && box.scrollTop > 1000)
    await page.waitForFunction(`document.querySelector('[role=log]').scrollTop > 1000`)
    assert.ok(await isAtEnd())
    await page.getByLabel('Search log').fill('STEP 7')
    await page.getByText('1 of 11 lines').waitFor()
    await page.getByRole('button', { name: 'Next match' }).click()
    await page.getByText('2 of 11 lines').waitFor()
    await log.locator('#L74').waitFor()
    assert.ok(!(await isAtEnd()))
    await dashboard.look(page, 'deployment-ready')

    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    const text = await readFile(await (await saving).path(), 'utf8')
    assert.match(text, /^\$ npm run build\n/)
    assert.equal(text.trimEnd().split('\n').length, 404)
    await page.goto(`http://aloft.test${pathOf(made.id)}#L300`)
    await page.reload()
    await log.getByText('step 296 of 400').waitFor()
    assert.ok(await log.locator('#L300').isVisible())
  })

  test('what came of it is shown, and its instances are scaled', async () => {
    const { deployments } = await call('GET /v3/platform/deployments?app=shop')
    const { uid } = deployments[0]
    const page = await dashboard.openPage(ada, pathOf(uid, '/output'))
    await page.getByRole('cell', { name: '/feed' }).waitFor()
    const shown = await page.getByRole('main').innerText()
    for (const words of ['Node.js 22.x', '512 MiB', '1 min', 'Redirect 308', '/new', 'GREETING'])
      assert.ok(shown.includes(words), words)
    await dashboard.look(page, 'deployment-output')

    await page.getByRole('link', { name: 'Instances', exact: true }).click()
    await page.getByRole('heading', { name: 'Idle' }).waitFor()
    for (const i of [1, 2])
      await dashboard.server.parts.stores.instances.add(
        sampleInstance({ deploymentId: uid, program: 'server', startedAt: Date.now() - i * 60_000 }),
      )
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('2 running instances').waitFor()
    await page.getByLabel('Minimum').fill('5')
    await page.getByLabel('Maximum').fill('3')
    await page.getByRole('alert').getByText('greater than maximum').waitFor()
    await page.getByLabel('Minimum').fill('1')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Scaling between 1 and 3 instances.').waitFor()
    assert.deepEqual((await call(`GET /v1/deployments/${uid}/output`)).scale, { min: 1, max: 3 })
    await dashboard.look(page, 'deployment-instances')
  })

  test('a build that fails says why and what to do', async () => {
    builder.next(async ({ deployment }, { began, log }) => {
      const run = deployment.buildRuns[0]?.id ?? ''
      await began(run)
      await log(run).stdout('added 3 packages')
      await log(run).stdout('npm error code E404')
      throw new BuildFailure('install_failed', 'npm install exited with code 1.')
    })
    const made = await deploy('broken', [PACKAGE])
    const page = await dashboard.openPage(ada, pathOf(made.id))
    await page.getByText('Queued: in progress').waitFor()
    await dashboard.server.runJobs()
    const alert = page.getByRole('alert')
    await alert.getByText('npm install exited with code 1.', { exact: true }).waitFor()
    await alert.getByText('lock file').waitFor()
    await page.getByText('Building: failed').waitFor()
    await alert.getByText('npm error code E404').waitFor()
    await alert.getByRole('link', { name: 'Jump to the error in the log' }).click()
    await page.waitForURL(/#L2$/)
    await page.getByRole('log').locator('#L2.bg-accent-soft').waitFor()
    await dashboard.look(page, 'deployment-failed')
  })

  test('a build is cancelled, and its files are deployed again', async () => {
    const made = await deploy('again', [PACKAGE])
    const page = await dashboard.openPage(ada, pathOf(made.id))
    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Cancel build' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel build' }).click()
    await page.getByRole('heading', { name: 'Build cancelled' }).waitFor()
    assert.equal((await call(`GET /v8/platform/deployments/${made.id}`)).errorCode, 'canceled')

    builder.next(async () => outputOf({ 'index.html': 'page' }))
    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Redeploy' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Redeploy' }).click()
    await page.waitForURL((url) => url.pathname.startsWith(pathOf('dpl_')) && !url.pathname.includes(made.id))
    const { deployments } = await call('GET /v3/platform/deployments?app=again&limit=1')
    assert.equal(deployments[0].meta.redeployOf, made.id)
    await dashboard.server.runJobs()
  })

  test('the source is walked by keys, shown as text, and never run', async () => {
    const evil =
      '<h1>Hi</h1>\n<script>document.title = "taken"</script>\n<img src=x onerror="document.title=1">\n'
    const made = await deploy('site', [
      { file: 'index.html', data: evil },
      { file: 'img/dot.png', data: PICTURE, encoding: 'base64' },
      { file: 'img/logo.svg', data: '<svg xmlns="http://www.w3.org/2000/svg" onload="document.title=2"/>' },
      { file: 'src/deep/long.txt', data: 'a line\n'.repeat(1200) },
      { file: 'data.bin', data: 'AAECAwQ=', encoding: 'base64' },
      { file: 'big.txt', data: 'x'.repeat(1_000_001) },
    ])
    const page = await dashboard.openPage(ada, pathOf(made.id, '/source'))
    await page.getByText('document.title = "taken"').waitFor()
    assert.equal(await page.getByRole('main').locator('h1 script, img, svg[onload]').count(), 0)
    assert.match(await page.title(), / source /)
    await dashboard.look(page, 'deployment-source')

    await page.getByRole('treeitem', { name: 'img' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const picture = page.getByRole('img', { name: 'dot.png' })
    await picture.waitFor()
    assert.match(page.url(), /\?file=img%2Fdot\.png$/)
    await page.waitForFunction(`document.querySelector('img[alt="dot.png"]').naturalWidth === 16`)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByText('onload="document.title=2"').waitFor()
    assert.match(await page.title(), / source /)

    await page.getByLabel('Search files').fill('LONG')
    await page.getByRole('treeitem', { name: 'src/deep/long.txt' }).click()
    await page.getByText('1,200 lines').waitFor()
    for (const [file, says] of [
      ['data.bin', 'Binary file'],
      ['big.txt', 'File is too large to display'],
      ['gone.txt', 'File not found'],
    ] as const) {
      await page.goto(`http://aloft.test${pathOf(made.id, `/source?file=${file}`)}`)
      await page.getByText(says).waitFor()
    }
    await page.goto(`http://aloft.test${pathOf(made.id, '/source?file=data.bin')}`)
    const saving = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download' }).click()
    assert.deepEqual([...(await readFile(await (await saving).path()))], [0, 1, 2, 3, 4])

    await page.getByRole('link', { name: 'Instances', exact: true }).click()
    await page.getByText('No instances needed').waitFor()
    await dashboard.look(page, 'deployment-static')
  })

  test('all of them are listed, filtered, live, and deleted', async () => {
    const page = await dashboard.openPage(ada, `/a/${ada.username}/deployments`)
    await page.getByRole('row').nth(3).waitFor()
    const made = await deploy('docs', [{ file: 'index.html', data: 'docs' }], { target: 'production' })
    await page.getByRole('link', { name: made.url.split('.')[0] }).waitFor()
    await dashboard.look(page, 'deployments')
    await page.getByLabel('Status').selectOption('Failed')
    // One failed, and one was cancelled.
    await page.getByRole('row').nth(3).waitFor({ state: 'detached' })
    assert.match(await page.getByRole('table').innerText(), /broken/)
    assert.match(page.url(), /\?state=ERROR$/)
    await page.goto(`http://aloft.test/a/${ada.username}/deployments?target=production`)
    await page.getByRole('link', { name: made.url.split('.')[0] }).click()

    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await dashboard.look(page, 'deployment-delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete deployment' }).click()
    await page.getByText('Deployment deleted.').waitFor()
    assert.equal((await call(`GET /v8/platform/deployments/${made.id}`)).error.code, 'not_found')
    const eve = await dashboard.server.signUp('eve@aloft.test')
    await dashboard.openPage(eve, `/a/${eve.username}/deployments`)
    await page.getByText('No deployments yet').waitFor()
    await dashboard.look(page, 'deployments-none')
  })
})
