import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { ProjectDomain } from '#core/project-domain/project-domain.ts'
import { eachDatabase, type OpenDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleProject, sampleProjectDomain } from '#test/support/samples.ts'

async function openDomains(t: TestContext, open: OpenDatabase) {
  const opened = await openStores(t, open)
  const { projects, projectDomains } = opened.stores
  const mine = sampleProject({ ownerId: 'anna' })
  const other = sampleProject({ ownerId: 'anna' })
  const theirs = sampleProject({ ownerId: 'bert' })
  for (const project of [mine, other, theirs]) await projects.insert(project)
  const domainOf = ({ id, ownerId }: typeof mine, given: Partial<ProjectDomain> = {}) =>
    sampleProjectDomain({ projectId: id, ownerId, ...given })
  const add = async (project: typeof mine, given: Partial<ProjectDomain>) => {
    const domain = domainOf(project, given)
    assert.equal(await projectDomains.add(domain), true)
    return domain
  }
  return { ...opened, projects, projectDomains, mine, other, theirs, domainOf, add }
}

eachDatabase((name, open) =>
  describe(`project domains on ${name}`, () => {
    it('finds a domain in its project, as it was stored', async (t) => {
      const { projectDomains, mine, other, add } = await openDomains(t, open)
      const plain = await add(mine, { name: 'www.example.com' })
      const full = await add(mine, {
        name: 'example.com',
        redirect: 'www.example.com',
        redirectStatusCode: 308,
        customEnvironmentId: 'env_1',
        gitBranch: 'next',
        verified: false,
        challenge: 'platform-domain-verify=example.com,0',
        createdAt: 5,
        updatedAt: 6,
      })
      assert.deepEqual(await projectDomains.find(mine.id, 'www.example.com'), plain)
      assert.deepEqual(await projectDomains.find(mine.id, 'example.com'), full)
      assert.equal(await projectDomains.find(other.id, 'example.com'), undefined)
      assert.deepEqual(await projectDomains.ofProject(mine.id), [full, plain])
      assert.deepEqual(await projectDomains.ofProject(other.id), [])
    })

    it('tells which domains of an account are in one that was registered, a few at a time', async (t) => {
      const { projectDomains, mine, other, theirs, add } = await openDomains(t, open)
      for (const [project, name] of [
        [mine, 'b.example.com'],
        [other, 'a.example.com'],
        [mine, 'example.com'],
        [theirs, 'c.example.com'],
      ] as const)
        await add(project, { name })
      await add(mine, { name: 'example.net', apexName: 'example.net' })
      const after = async (last: string) =>
        (await projectDomains.inApex('anna', 'example.com', last, 2)).map((domain) => domain.name)
      assert.deepEqual(await after(''), ['a.example.com', 'b.example.com'])
      assert.deepEqual(await after('b.example.com'), ['example.com'])
      assert.deepEqual(await projectDomains.inApex('anna', 'example.org', '', 2), [])
    })

    it('has a name once in a project, and verified once in all of them', async (t) => {
      const { projectDomains, mine, other, theirs, domainOf, add } = await openDomains(t, open)
      const held = await add(mine, {})
      assert.equal(await projectDomains.add(domainOf(mine, { verified: false })), false)
      assert.equal(await projectDomains.add(domainOf(other)), false)
      assert.equal(await projectDomains.add(domainOf(theirs)), false)
      const waiting = await add(theirs, { verified: false, challenge: 'x' })
      const byProject = (a: ProjectDomain, b: ProjectDomain) => (a.projectId < b.projectId ? -1 : 1)
      assert.deepEqual(
        (await projectDomains.holders(held.name)).toSorted(byProject),
        [held, waiting].toSorted(byProject),
      )
      assert.equal(await projectDomains.update(theirs.id, held.name, { verified: true }), false)
      assert.deepEqual(await projectDomains.find(theirs.id, held.name), waiting)
      assert.equal(await projectDomains.remove(mine.id, held.name), true)
      assert.equal(await projectDomains.update(theirs.id, held.name, { verified: true }), true)
      assert.deepEqual(await projectDomains.holders(held.name), [{ ...waiting, verified: true }])
    })

    it('lets one of many projects that take a name at once have it', async (t) => {
      const { projectDomains, again, mine, other, theirs, domainOf } = await openDomains(t, open)
      const { stores } = await again()
      const taken = await Promise.all(
        [mine, other, theirs, mine, other, theirs].map((project, i) =>
          (i % 2 ? projectDomains : stores.projectDomains).add(domainOf(project)),
        ),
      )
      assert.equal(taken.filter(Boolean).length, 1)
      assert.equal((await projectDomains.holders('www.example.com')).length, 1)
    })

    it('changes what is given and clears what is null', async (t) => {
      const { projectDomains, mine, add } = await openDomains(t, open)
      const domain = await add(mine, { redirect: 'example.com', redirectStatusCode: 301 })
      const change = { redirect: null, redirectStatusCode: null, gitBranch: 'next', updatedAt: 7 }
      assert.equal(await projectDomains.update(mine.id, domain.name, change), true)
      assert.deepEqual(await projectDomains.find(mine.id, domain.name), { ...domain, ...change })
      assert.equal(await projectDomains.update(mine.id, domain.name, {}), true)
      assert.equal(await projectDomains.update(mine.id, 'other.example.com', { gitBranch: 'x' }), false)
      assert.equal(await projectDomains.remove(mine.id, 'other.example.com'), false)
    })

    it('lists pages in both orders', async (t) => {
      const { projectDomains, mine, theirs, add } = await openDomains(t, open)
      for (const [host, createdAt] of [
        ['a.example.com', 10],
        ['b.example.com', 20],
        ['c.example.com', 30],
      ] as const)
        await add(mine, { name: host, createdAt })
      await add(theirs, { name: 'd.example.com', createdAt: 40 })
      const list = async (page: object, order: 'ASC' | 'DESC') => {
        const { items, pagination } = await projectDomains.list(mine.id, { limit: 2, ...page }, { order })
        return [items.map(({ name: [letter] }) => letter).join(''), pagination]
      }
      assert.deepEqual(await list({}, 'DESC'), ['cb', { count: 2, next: 20, prev: null }])
      assert.deepEqual(await list({ until: 20 }, 'DESC'), ['a', { count: 1, next: null, prev: 10 }])
      assert.deepEqual(await list({ since: 20 }, 'DESC'), ['c', { count: 1, next: null, prev: null }])
      assert.deepEqual(await list({}, 'ASC'), ['ab', { count: 2, next: 20, prev: null }])
      assert.deepEqual(await list({ since: 20 }, 'ASC'), ['c', { count: 1, next: null, prev: 30 }])
      assert.deepEqual(await list({ until: 20 }, 'ASC'), ['a', { count: 1, next: null, prev: null }])
    })

    it('lists those that a filter means', async (t) => {
      const { projectDomains, mine, add } = await openDomains(t, open)
      await add(mine, { name: 'plain.com', createdAt: 1 })
      await add(mine, { name: 'from.com', redirect: 'plain.com', redirectStatusCode: 307, createdAt: 2 })
      await add(mine, { name: 'branch.com', gitBranch: 'next', createdAt: 3 })
      await add(mine, { name: 'custom.com', customEnvironmentId: 'env_1', createdAt: 4 })
      await add(mine, { name: 'open.com', verified: false, challenge: 'x', createdAt: 5 })
      const list = async (filter: object) => {
        const { items } = await projectDomains.list(mine.id, { limit: 9 }, { order: 'ASC', ...filter })
        return items.map(({ name }) => name.replace('.com', ''))
      }
      assert.deepEqual(await list({}), ['plain', 'from', 'branch', 'custom', 'open'])
      assert.deepEqual(await list({ redirects: true }), ['plain', 'from', 'branch', 'custom', 'open'])
      assert.deepEqual(await list({ redirects: false }), ['plain', 'branch', 'custom', 'open'])
      assert.deepEqual(await list({ redirect: 'plain.com' }), ['from'])
      assert.deepEqual(await list({ gitBranch: 'next' }), ['branch'])
      assert.deepEqual(await list({ customEnvironmentId: 'env_1' }), ['custom'])
      assert.deepEqual(await list({ verified: false }), ['open'])
      assert.deepEqual(await list({ verified: true }), ['plain', 'from', 'branch', 'custom'])
      assert.deepEqual(await list({ production: true }), ['plain', 'from', 'open'])
      assert.deepEqual(await list({ production: false }), ['plain', 'from', 'branch', 'custom', 'open'])
      assert.deepEqual(await list({ production: true, redirects: false, verified: true }), ['plain'])
    })

    it('are given away and deleted with their project', async (t) => {
      const { projectDomains, projects, mine, add } = await openDomains(t, open)
      const domain = await add(mine, {})
      await projects.give(mine, { ownerId: 'bert', name: mine.name })
      assert.deepEqual(await projectDomains.holders(domain.name), [{ ...domain, ownerId: 'bert' }])
      await projects.delete(mine.id)
      assert.deepEqual(await projectDomains.holders(domain.name), [])
    })
  }),
)
