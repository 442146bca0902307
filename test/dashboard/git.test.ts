import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { withoutChromium } from '#test/support/browser/chromium.ts'
import { type DashboardTest, openDashboard } from '#test/support/browser/dashboard.ts'
import { addContractApps } from '#test/support/git/contract-app.ts'
import { startContractHost } from '#test/support/git/contract-host.ts'
import { workTree } from '#test/support/git/git.ts'
import { startGitHost } from '#test/support/git/git-host.ts'
import { samplePush } from '#test/support/samples.ts'

const CLI = resolve(import.meta.dirname, '../../bin/aloft.js')

describe('the Git page of a project', { skip: withoutChromium }, () => {
  let dashboard: DashboardTest
  before(async () => {
    dashboard = await openDashboard({ env: { ALOFT_PRIVATE_TARGETS: '127.0.0.1' } })
  })
  after(() => dashboard?.close())

  test('shows a push with its reason, runs one again, and makes and revokes a deploy hook', async (t) => {
    const { server } = dashboard
    const ada = await server.signUp('ada@aloft.test')
    await server.startJobs()
    const tree = await workTree(t, { 'index.html': 'first' })
    await tree.commit('The first')
    const remote = `${server.url.replace('://', `://git:${ada.token}@`)}/git/${ada.username}/shop.git`
    await tree.must('push', remote, 'main')
    await tree.must('tag', 'v1')
    await tree.must('push', remote, 'v1')
    const page = await dashboard.openPage(ada, `/a/${ada.username}/projects/shop/git`)
    await page.getByRole('cell', { name: 'Tags are stored but not deployed' }).waitFor()
    await page.getByRole('link', { name: 'Deployment', exact: true }).waitFor()
    await dashboard.look(page, 'git')
    const { body: shop } = await server.call('GET /v9/projects/shop', ada)
    await server.parts.stores.pushes.add(
      samplePush({
        ...{ ownerId: ada.id, projectId: shop.id, fork: true, state: 'held', ref: 'refs/pull/7/head' },
        pull: {
          ...{ number: 7, branch: 'eve:patch', url: 'https://github.com/me/site/pull/7' },
          ...{ commit: 'a'.repeat(40), fetch: { ref: 'refs/pull/7/head' } },
        },
        createdAt: Date.now(),
      }),
    )
    await page.reload()
    await page.getByRole('link', { name: '#7' }).waitFor()
    await dashboard.look(page, 'git-held')
    await page.getByRole('button', { name: /^Approve: eve:patch/ }).click()
    await page.getByText('Approved. Building without').waitFor()
    await page.getByRole('button', { name: /^Run again: main/ }).click()
    await page
      .getByRole('button', { name: /^Run again: main/ })
      .nth(1)
      .waitFor()
    await page.getByLabel('Production branch').fill('trunk')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Applies to the next push').waitFor()
    const source = await server.call('GET /v1/projects/shop/git', ada)
    assert.equal(source.body.productionBranch, 'trunk')
    await page.getByRole('button', { name: 'New deploy hook' }).click()
    await page.getByLabel('Name').fill('cms')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'Revoke cms' }).click()
    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByRole('button', { name: 'Revoke cms' }).waitFor({ state: 'detached' })
    const { body } = await server.call('GET /v2/projects/shop/deploy-hooks', ada)
    assert.deepEqual(body.deployHooks, [])
  })

  test('a deploy button opens a new project that is deployed from its repository', async (t) => {
    const { server } = dashboard
    const host = await startGitHost('the-token')
    t.after(() => host.close())
    const grace = await server.signUp('grace@aloft.test')
    await server.startJobs()
    const tree = await workTree(t, { 'site/index.html': 'from a button' })
    await tree.commit('The first')
    await tree.must('push', await host.repository('ada/shop'), 'main:stable')
    const link = new URLSearchParams({
      'repository-url': `${host.url}/ada/shop.git/tree/stable/site`,
      'project-name': 'Button Shop',
      env: 'API_KEY,GREETING',
      envDescription: 'Keys of the shop.',
      envLink: 'https://example.com/keys',
    })
    const page = await dashboard.openPage(grace, `/new/clone?${link}`)
    await page.getByText('Keys of the shop.').waitFor()
    assert.equal(await page.getByLabel('Repository URL').inputValue(), `${host.url}/ada/shop.git`)
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'button-shop')
    await dashboard.look(page, 'deploy-button')
    await page.getByLabel('API_KEY').fill('key')
    await page.getByLabel('GREETING').fill('hello')
    // Nothing is left of an attempt that could not read the repository.
    await page.getByLabel('Repository URL').fill('not a repository')
    await page.getByRole('button', { name: 'Deploy', exact: true }).click()
    await page.getByRole('alert').waitFor()
    assert.equal((await server.call('GET /v9/projects/button-shop', grace)).status, 404)
    await page.getByLabel('Repository URL').fill(`${host.url}/ada/shop.git`)
    await page.getByLabel('Access token (optional)').fill('the-token')
    await page.getByRole('button', { name: 'Deploy', exact: true }).click()
    await page.getByText('Copy the webhook secret now').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    // The page of the build, once there is one.
    await page.waitForURL(`**/a/${grace.username}/deployments/dpl_*`)
    await page.getByText('Ready').first().waitFor()
    const { body: project } = await server.call('GET /v9/projects/button-shop', grace)
    assert.deepEqual([project.rootDirectory, project.nodeVersion], ['site', '24.x'])
    const { body: variables } = await server.call('GET /v9/projects/button-shop/env?decrypt=true', grace)
    assert.deepEqual(
      Object.fromEntries(
        variables.envs.map(({ key, value }: { key: string; value: string }) => [key, value]),
      ),
      { API_KEY: 'key', GREETING: 'hello' },
    )
    assert.equal((await server.visit('button-shop.sites.test', '/')).body, 'from a button')
  })

  test('a Git host is connected, and one of its repositories is found by the keyboard and deployed', async (t) => {
    const { server } = dashboard
    const host = await startContractHost('gitea')
    t.after(() => host.close())
    host.reaches = server.url
    const joan = await server.signUp('joan@aloft.test')
    await server.startJobs()
    const tree = await workTree(t, {
      'package.json': '{"workspaces":["apps/*"]}',
      'apps/web/index.html': 'from the list',
      'apps/web/package.json': '{"dependencies":{"vite":"7.0.0"},"scripts":{"build":"true"}}',
      'apps/web/.env.example': 'GREETING=\nUNUSED=\n',
      'docs/index.html': 'the docs',
    })
    const commit = await tree.commit('The first')
    await tree.must('push', await host.add('octocat/shop', { isPrivate: true }), 'main')
    for (let i = 0; i < 70; i++)
      host.repositories.push({ id: 1000 + i, name: `acme/part-${i}`, isPrivate: false })

    const page = await dashboard.openPage(joan, `/a/${joan.username}/git`)
    await page.getByText('No Git hosts connected').waitFor()
    await dashboard.look(page, 'git-hosts-empty')
    await page.getByRole('button', { name: 'Connect a Git host' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Host').selectOption('gitea')
    await dialog.getByLabel('Address').fill(host.url)
    await dialog.getByLabel('Access token').fill('wrong')
    await dialog.getByText('write:repository').waitFor()
    await dashboard.look(page, 'git-host-dialog')
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
    await dialog.getByRole('alert').getByText('does not accept the token').waitFor()
    await dialog.getByLabel('Access token').fill(host.token)
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByText('Connected as octocat.').waitFor()
    await page.getByRole('button', { name: /^Test octocat at 127/ }).click()
    await page.getByText('The token works and gives access to 50 or more repositories.').waitFor()
    await dashboard.look(page, 'git-hosts')
    host.refusal = 401
    await page.getByRole('button', { name: /^Test octocat at 127/ }).click()
    await page.getByText('Token rejected').waitFor()
    host.refusal = undefined

    await page.goto(`http://aloft.test/a/${joan.username}/new`)
    const list = page.getByRole('list', { name: 'Repositories' })
    await list.getByRole('button').nth(49).waitFor()
    await page.getByRole('button', { name: 'Show more' }).click()
    await list.getByRole('button').nth(70).waitFor()
    await dashboard.look(page, 'import-list')
    await page.getByLabel('Search repositories').fill('shop')
    await list.getByRole('button').nth(1).waitFor({ state: 'detached' })
    await page.getByLabel('Search repositories').press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByText(`commit ${commit.slice(0, 7)}`).waitFor()
    assert.equal(await page.getByLabel('Root directory').inputValue(), 'apps/web')
    await page.getByText('Vite (detected)').waitFor({ state: 'attached' })
    assert.equal(
      await page.getByLabel('Environment variables (optional)').inputValue(),
      'GREETING=\nUNUSED=\n',
    )
    await dashboard.look(page, 'import-review')
    await page.getByLabel('Root directory').selectOption('docs')
    await page.getByLabel('Environment variables (optional)').fill('GREETING=hello\nUNUSED=\n')
    await page.getByLabel('Name', { exact: true }).fill('imported')
    await page.getByRole('button', { name: 'Deploy', exact: true }).click()
    await page.waitForURL(`**/a/${joan.username}/deployments/dpl_*`)
    await page.getByText('Ready').first().waitFor()
    const link = page.getByRole('link', { name: new RegExp(`^${commit.slice(0, 7)}`) })
    assert.equal(await link.getAttribute('href'), `${host.url}/octocat/shop/commit/${commit}`)
    assert.equal((await server.visit('imported.sites.test', '/')).body, 'the docs')
    const { body: project } = await server.call('GET /v9/projects/imported', joan)
    assert.equal(project.rootDirectory, 'docs')
    const { body: variables } = await server.call('GET /v9/projects/imported/env?decrypt=true', joan)
    assert.deepEqual(
      variables.envs.map(({ key, value }: { key: string; value: string }) => [key, value]),
      [['GREETING', 'hello']],
    )
    assert.equal(host.hooks.length, 1, 'the webhook was made at the host')

    // The branch of each deployment, and only those of one.
    await page.goto(`http://aloft.test/a/${joan.username}/projects/imported/deployments`)
    await page.getByRole('link', { name: new RegExp(`^${commit.slice(0, 7)}`) }).waitFor()
    await page.getByLabel('Branch').fill('other')
    await page.getByText('No matching deployments').waitFor()
    await page.getByLabel('Branch').fill('main')
    await page.getByRole('link', { name: new RegExp(`^${commit.slice(0, 7)}`) }).waitFor()

    // Another project takes its repository from the same list, in its settings.
    await server.call('POST /v10/projects', { ...joan, body: { name: 'second' } })
    await page.goto(`http://aloft.test/a/${joan.username}/projects/second/git`)
    await page.getByRole('button', { name: 'Connect a repository' }).click()
    await page.getByLabel('Search repositories').fill('octocat/shop')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^octocat\/shop/ })
      .waitFor()
    await dashboard.look(page, 'connect-dialog')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^octocat\/shop/ })
      .click()
    await page.getByText(`${host.url}/octocat/shop.git`).waitFor()
    await page.getByText(/the webhook works|webhook created\./i).waitFor()

    // It cannot be removed while projects are deployed through it.
    await page.goto(`http://aloft.test/a/${joan.username}/git`)
    await page.getByRole('button', { name: /^Remove octocat/ }).click()
    await page.getByRole('button', { name: 'Remove host' }).click()
    await page.getByText(/Projects are deployed through this Git host: imported, second/).waitFor()
  })

  test('GitHub is connected by an App of one’s own, begun here or by the command line', async (t) => {
    const { server } = dashboard
    const host = await startContractHost('github')
    t.after(() => host.close())
    host.reaches = server.url
    const apps = addContractApps(host, () => server.clock.now())
    const ada = await server.signUp('ada-of-github@aloft.test')
    const tree = await workTree(t, { 'index.html': 'by an app' })
    await tree.commit('The first')
    await tree.must('push', await host.add('octocat/shop', { isPrivate: true }), 'main')
    const page = await dashboard.openPage(ada, `/a/${ada.username}/git`)
    // The pages of GitHub, with the one button of each that matters.
    const button = (name: string, to: URL) => ({
      contentType: 'text/html',
      body: `<a href="${to.href.replaceAll('&', '&amp;')}">${name}</a>`,
    })
    await page.route(`${host.url}/**`, async (route) => {
      const request = route.request()
      const { pathname } = new URL(request.url())
      if (pathname.endsWith('/settings/apps/new')) {
        const manifest = new URLSearchParams(request.postData() ?? '').get('manifest') ?? ''
        return route.fulfill(button('Create GitHub App', apps.create(request.url(), manifest)))
      }
      if (pathname.endsWith('/installations/new'))
        return route.fulfill(button('Install', apps.install('octocat')))
      return route.fulfill({ status: 404 })
    })

    await page.getByRole('button', { name: 'Connect GitHub' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('GitHub Enterprise URL').fill(host.url)
    await dashboard.look(page, 'connect-github-dialog')
    await dialog.getByRole('button', { name: 'Continue to GitHub' }).click()
    await page.waitForURL('**/v1/git/apps/start/**')
    await page.getByRole('button', { name: /Continue/ }).click()
    await page.getByRole('link', { name: 'Create GitHub App' }).click()
    await page.getByRole('link', { name: 'Install' }).click()
    await page.waitForURL(`**/a/${ada.username}/git`)
    await page.getByText('octocat').first().waitFor()
    await dashboard.look(page, 'connect-github-done')
    assert.equal(apps.made.length, 1)
    const { body } = await server.call('GET /v1/git/connections', ada)
    assert.deepEqual(
      body.connections.map(({ kind, login }: { kind: string; login: string }) => [kind, login]),
      [['github', 'octocat']],
    )

    // The command line tells the address of the same page.
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [CLI, 'git', 'hosts', 'add', 'github', '--app', '--url', host.url],
      {
        cwd: tree.folder,
        env: {
          PATH: process.env.PATH,
          HOME: tree.folder,
          ALOFT_BASE_URL: server.url,
          ALOFT_TOKEN: ada.token,
        },
      },
    )
    const [start = ''] = /https?:\/\/\S+/.exec(stdout) ?? []
    await page.goto(`http://aloft.test${new URL(start).pathname}`)
    await page.getByRole('button', { name: /Continue/ }).click()
    await page.getByRole('link', { name: 'Create GitHub App' }).click()
    await page.getByRole('link', { name: 'Install' }).waitFor()
    assert.equal(apps.made.length, 2)
  })
})
