import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { withoutChromium } from '#test/support/chromium.ts'
import { type DashboardTest, openDashboard } from '#test/support/dashboard.ts'
import { workTree } from '#test/support/git.ts'
import { samplePush } from '#test/support/samples.ts'

describe('the Git page of a project', { skip: withoutChromium }, () => {
  let dashboard: DashboardTest
  before(async () => {
    dashboard = await openDashboard()
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
    await page.getByText('Tags are stored and not deployed').waitFor()
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
    await page.getByText('Approved. It is being built').waitFor()
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
})
