import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { zipSync } from 'fflate'
import type { Page } from 'playwright-core'
import { COMMANDS as IMPORT } from '#cli/import/commands.ts'
import { BuildFailure } from '#core/ports/builder.ts'
import { readConfig } from '#src/config/config.ts'
import { createUseCases } from '#src/process/compose/use-cases.ts'
import { withoutChromium } from '#test/support/browser/chromium.ts'
import { type DashboardTest, openDashboard } from '#test/support/browser/dashboard.ts'
import { ScriptedBuilder } from '#test/support/scripted-builder.ts'
import type { Account } from '#test/support/server.ts'

type Files = Readonly<Record<string, string>>

const SITE: Files = {
  'index.html': '<!doctype html><title>Shop</title><h1>Welcome</h1>\n<p>All is well.</p>\n',
  'style.css': 'h1 { color: teal }\n',
  '.gitignore': '*.log\n',
  'debug.log': 'nobody is to see this',
  'node_modules/left/index.js': 'nor this',
  'img/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
}

/** A folder of this machine, dropped onto the page as from a file manager. */
async function drop(page: Page, path: string): Promise<void> {
  const box = await page.getByRole('region', { name: 'Files to deploy' }).boundingBox()
  assert.ok(box)
  const at = { x: box.x + box.width / 2, y: box.y + 20 }
  const devtools = await page.context().newCDPSession(page)
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', {
      type,
      ...at,
      data: { items: [], files: [path], dragOperationsMask: 1 },
    })
  await devtools.detach()
}

describe('projects in the dashboard', { skip: withoutChromium }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-drop-'))
  const builder = new ScriptedBuilder()
  let dashboard: DashboardTest
  let ada: Account
  before(async () => {
    dashboard = await openDashboard({ workers: { builder } })
    ada = await dashboard.server.signUp('ada@aloft.test')
  })
  after(async () => {
    await dashboard?.close()
    rmSync(folder, { recursive: true })
  })

  const write = (name: string, files: Files): string => {
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, name, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
    return join(folder, name)
  }
  const call = (on: string) => dashboard.server.call(on, { token: ada.token })
  const live = async () => (await dashboard.server.visit('shop.sites.test', '/')).body as string

  test('an account elsewhere is offered to be imported with the command line, by a command that it has', async () => {
    const page = await dashboard.openPage(ada, `/a/${ada.username}/new`)
    await page.getByRole('heading', { name: 'Import from Vercel' }).waitFor()
    const shown = await page.getByRole('main').innerText()
    const examples = IMPORT.groups?.import?.examples ?? []
    assert.equal(examples.length, 2)
    for (const [command] of examples) assert.ok(shown.includes(`aloft ${command}`), command)
    await page.getByRole('button', { name: 'Copy import command' }).waitFor()
  })

  test('a folder is dropped, built before your eyes, live, broken, and rolled back', async (t) => {
    const page = await dashboard.openPage(ada)
    await page.getByRole('heading', { name: 'Deploy your first site' }).waitFor()
    await dashboard.look(page, 'projects-first')

    await t.test('what will be sent is shown, and becomes a site', async () => {
      await drop(page, write('shop', SITE))
      await page.getByText('3 files').waitFor()
      const listed = await page.getByRole('main').innerText()
      assert.match(listed, /img\/logo\.svg/)
      assert.doesNotMatch(listed, /debug\.log|left\/index/)
      assert.equal(await page.getByLabel('Name').inputValue(), 'shop')
      await dashboard.look(page, 'new-review')
      await page.getByRole('button', { name: 'Deploy', exact: true }).click()
      await page.getByRole('heading', { name: 'Your site is live' }).waitFor()
      assert.match(await live(), /All is well/)
      await dashboard.look(page, 'new-live')
      const files = await call(`GET /v5/platform/deployments/shop.sites.test/files`)
      assert.deepEqual(
        files.body.map(({ name }: { name: string }) => name),
        ['img', 'index.html', 'style.css'],
      )
    })

    await t.test(
      'a build is watched line by line, and its failure changes nothing for visitors',
      async () => {
        await page.goto(`http://aloft.test/a/${ada.username}/new?project=shop`)
        const printed = Promise.withResolvers<void>()
        const ending = Promise.withResolvers<void>()
        builder.next(async ({ deployment }, events) => {
          await events.log(deployment.buildRuns[0]?.id ?? '').stdout('compiling the shop')
          printed.resolve()
          await ending.promise
          throw new BuildFailure('build_failed', 'The command exited with 1.')
        })
        const source = write('source', { ...SITE, 'package.json': '{"scripts":{"build":"make-it"}}' })
        await page.locator('[data-choose=folder]').setInputFiles(source)
        await page.getByRole('button', { name: 'Deploy', exact: true }).click()
        await page.getByRole('heading', { name: 'Building shop' }).waitFor()
        const jobs = dashboard.server.runJobs()
        await printed.promise
        await page.getByText('compiling the shop').waitFor()
        ending.resolve()
        await jobs
        await page.getByRole('heading', { name: 'Build failed' }).waitFor()
        await page.getByText('The command exited with 1.').first().waitFor()
        await dashboard.look(page, 'new-failed')
        assert.match(await live(), /All is well/)
      },
    )

    await t.test('a version that is broken goes live', async () => {
      await page.getByRole('button', { name: 'Try again' }).click()
      const zip = join(folder, 'shop-2.zip')
      const text = (value: string) => new TextEncoder().encode(value)
      writeFileSync(
        zip,
        zipSync({
          'shop-2/index.html': text('<!doctype html><title>Shop</title><h1>Welcome</h1>\n<p>Oops.</p>\n'),
          'shop-2/style.css': text('h1 { color: teal }\n'),
          'shop-2/new.txt': text('new'),
          '__MACOSX/shop-2/._index.html': text('x'),
        }),
      )
      await page.locator('[data-choose=zip]').setInputFiles(zip)
      await page.getByText('3 files').waitFor()
      await page.getByRole('button', { name: 'Deploy', exact: true }).click()
      await page.getByRole('heading', { name: 'Your site is live' }).waitFor()
      assert.match(await live(), /Oops/)
    })

    await t.test('the difference is shown, and one click leads back', async () => {
      await page.getByRole('link', { name: 'Go to project' }).click()
      await page.getByRole('region', { name: 'Production' }).waitFor()
      await dashboard.look(page, 'overview')
      await page.getByRole('link', { name: 'Deployments' }).nth(1).click()
      await page.getByRole('row').nth(3).waitFor()
      await dashboard.look(page, 'history')
      await page.getByRole('button', { name: 'Roll back' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('1 file added').waitFor()
      await dialog.getByText('1 file changed').waitFor()
      await dialog.getByText('1 file removed').waitFor()
      await dashboard.look(page, 'rollback')

      await dialog.getByRole('link', { name: 'View full diff' }).click()
      await page.getByRole('button', { name: 'changed: index.html' }).click()
      await page.getByRole('cell', { name: 'added: <p>All is well.</p>' }).waitFor()
      await page.getByRole('cell', { name: 'removed: <p>Oops.</p>' }).waitFor()
      await dashboard.look(page, 'compare')

      await page.getByRole('button', { name: 'Roll back' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
      await page.getByText('Now in production').waitFor()
      await page.getByRole('link', { name: 'shop.sites.test' }).last().waitFor()
      assert.match(await live(), /All is well/)
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByText('Rolled back', { exact: true }).waitFor()
      await page.getByText('Production is held at').waitFor()
      await page.getByRole('link', { name: '← Projects' }).click()
      await page.getByRole('article').getByText('Rolled back').waitFor()
      await page.getByRole('link', { name: 'shop', exact: true }).click()
    })

    await t.test('the rollback is undone, and what is newer is live again', async () => {
      await page.getByRole('region', { name: 'Production' }).waitFor()
      await dashboard.look(page, 'held')
      await page.getByRole('button', { name: 'Undo rollback' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Undo rollback' }).click()
      await page.getByText('Now in production').waitFor()
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByText('Production is held at').waitFor({ state: 'detached' })
      assert.match(await live(), /Oops/)
    })
  })

  test('the grid is live: what happens elsewhere is seen at once', async () => {
    const page = await dashboard.openPage(ada)
    await page.getByRole('link', { name: 'shop', exact: true }).waitFor()
    const files = [{ file: 'index.html', data: '<h1>Docs</h1>' }]
    const body = (name: string) => ({ name, version: 2, files, target: 'production' })
    for (const name of ['docs', `a-very-long-name-${'of-a-project-'.repeat(2)}x`])
      await dashboard.server.call('POST /v8/platform/deployments', { token: ada.token, body: body(name) })
    await page.getByRole('link', { name: 'docs', exact: true }).waitFor()
    await call('POST /v1/projects/docs/pause')
    await page.getByRole('article').getByText('Paused').waitFor()
    await dashboard.look(page, 'projects')

    await page.getByLabel('Search projects').fill('sho')
    await page.getByRole('link', { name: 'docs', exact: true }).waitFor({ state: 'detached' })
    assert.match(page.url(), /\?q=sho$/)
    await page.reload()
    await page.getByRole('link', { name: 'shop', exact: true }).waitFor()
    assert.equal(await page.getByRole('article').count(), 1)
  })

  test('many projects are a list that is remembered, failing ones first, pinned before them', async () => {
    const deploy = (name: string, files: unknown) =>
      dashboard.server.call('POST /v8/platform/deployments', {
        token: ada.token,
        body: { name, version: 2, files, target: 'production' },
      })
    builder.next(() => Promise.reject(new BuildFailure('build_failed', 'It does not compile.')))
    await deploy('failing', [{ file: 'package.json', data: '{"scripts":{"build":"make-it"}}' }])
    await dashboard.server.runJobs()
    await deploy('newest', [{ file: 'index.html', data: '<h1>New</h1>' }])
    const page = await dashboard.openPage(ada)
    await page.getByRole('button', { name: 'List', exact: true }).click()
    const rows = page.getByRole('table', { name: 'Projects' }).getByRole('row')
    const names = async () =>
      (await rows.getByRole('link').allInnerTexts()).filter((text) => !text.includes('.'))
    await rows.nth(2).waitFor()
    assert.deepEqual((await names()).slice(0, 2), ['failing', 'newest'])
    await page.getByRole('button', { name: 'Pin docs' }).click()
    await page.getByRole('button', { name: 'Unpin docs' }).waitFor()
    assert.deepEqual((await names()).slice(0, 3), ['docs', 'failing', 'newest'])
    await dashboard.look(page, 'projects-list')
    await page.reload()
    await rows.nth(2).waitFor()
    assert.equal((await names())[0], 'docs', 'the list and the pin are remembered')
    await page.getByLabel('Status').selectOption('Failing')
    await rows.nth(2).waitFor({ state: 'detached' })
    assert.deepEqual(await names(), ['failing'])
    assert.match(page.url(), /status=failed/)

    // More than a page of newer ones: what fails is first all the same.
    await page.goto('about:blank')
    for (let n = 0; n < 60; n++)
      await dashboard.server.call('POST /v10/projects', { token: ada.token, body: { name: `more-${n}` } })
    await page.goto('http://aloft.test/')
    await rows.getByRole('link', { name: 'failing', exact: true }).waitFor()
    assert.deepEqual((await names()).slice(0, 3), ['docs', 'failing', 'more-59'])
  })

  test('the set-up link leads from nothing to the first deployment', async () => {
    const page = await dashboard.openPage(ada)
    const token = await createUseCases(readConfig({}), dashboard.server.parts).operators.openSetup()
    // Nobody is signed in when an installation is new.
    await page.context().clearCookies()
    await page.goto('http://aloft.test/')
    await page.getByRole('heading', { name: 'Not set up yet' }).waitFor()
    await page.goto(`http://aloft.test/setup?token=${token}`)
    await page.getByLabel('Your email').fill('first@aloft.test')
    await page.getByRole('button', { name: 'Create operator account' }).click()
    await page.getByRole('heading', { name: 'Aloft is yours' }).waitFor()
    const bearer = (await page.locator('.code').textContent()) ?? ''
    assert.equal((await dashboard.server.call('GET /v2/user', { token: bearer })).body.user.operator, true)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy the login command' }).click()
    await page
      .getByText('Copied')
      .or(page.getByText(/aloft(?:\.js)? login first@aloft\.test/))
      .first()
      .waitFor()
    await dashboard.look(page, 'setup-done')
    await page.getByRole('link', { name: 'Open the dashboard' }).click()
    await page.getByRole('heading', { name: 'Deploy your first site' }).waitFor()
    await page.getByText('Signed in as first@aloft.test').waitFor()
  })

  test('what cannot be deployed is said before anything is sent', async () => {
    const page = await dashboard.openPage(ada, `/a/${ada.username}/new`)
    const broken = join(folder, 'broken.zip')
    writeFileSync(broken, 'this is no zip')
    await page.locator('[data-choose=zip]').setInputFiles(broken)
    await page.getByRole('alert').getByText('damaged or not a .zip file').waitFor()
    writeFileSync(broken, zipSync({ 'a/../../evil': new Uint8Array(1) }))
    await page.locator('[data-choose=zip]').setInputFiles(broken)
    await page.getByRole('alert').getByText('a path outside of it').waitFor()
  })
})
