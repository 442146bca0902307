import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiSuite } from '#test/support/api-suite.ts'
import { assertGolden } from '#test/support/golden.ts'

/** Hosts without a domain are not known by their form alone. */
const settled = (project: unknown): unknown =>
  JSON.parse(JSON.stringify(project).replaceAll(/-[a-z0-9]{9}"/g, '-<hash>"'))

const FILES = [{ file: 'index.html', data: 'home' }]

apiSuite('projects', (server) => {
  const create = (token: string, body: object, query = '') =>
    server.call(`POST /v10/projects${query}`, { token, body })
  const get = async (token: string, name: string) =>
    (await server.call(`GET /v9/projects/${name}`, { token })).body
  const patch = (token: string, name: string, body: object) =>
    server.call(`PATCH /v9/projects/${name}`, { token, body })
  const deploy = async (token: string, name: string, more: object = {}) => {
    const body = { name, version: 2, files: FILES, ...more }
    const made = await server.call('POST /v8/platform/deployments?forceNew=1', { token, body })
    assert.equal(made.status, 200)
    server.clock.advance(1)
    return made.body
  }
  const names = async (token: string, path: string) => {
    const { body } = await server.call(`GET ${path}`, { token })
    return (body.projects ?? body).map(({ name }: { name: string }) => name)
  }

  test('v1: a project is ensured, listed, got and deleted in the first shape', async () => {
    const { id, token } = await server.signUp()
    const made = await server.call('POST /v1/projects/ensure-project', { token, body: { name: 'My Site!' } })
    assert.equal(made.status, 200)
    assertGolden('project/first', made.body)
    assert.deepEqual([made.body.name, made.body.accountId], ['my-site', id])
    server.clock.advance(1)
    const again = await server.call('POST /v1/projects/ensure-project', { token, body: { name: 'my-site' } })
    assert.ok(again.body.updatedAt > made.body.updatedAt)
    assert.deepEqual({ ...again.body, updatedAt: made.body.updatedAt }, made.body)
    for (const name of [made.body.id, 'my-site'])
      assert.deepEqual((await server.call(`GET /v1/projects/${name}`, { token })).body, again.body)
    assert.deepEqual((await server.call('GET /v1/projects/list', { token })).body, [again.body])
    const deleted = await server.call('DELETE /v1/projects/my-site', { token })
    assert.deepEqual([deleted.status, deleted.body], [204, ''])
    assert.equal((await server.call('GET /v1/projects/my-site', { token })).status, 404)
    assert.equal((await server.call('DELETE /v1/projects/my-site', { token })).status, 404)
  })

  test('v1: the list begins at a time and goes on to older ones', async () => {
    const { token } = await server.signUp()
    const times: number[] = []
    for (const name of ['a-one', 'b-two', 'c-one']) {
      const { body } = await server.call('POST /v1/projects/ensure-project', { token, body: { name } })
      times.push(body.updatedAt)
      server.clock.advance(1)
    }
    assert.deepEqual(await names(token, '/v1/projects/list'), ['c-one', 'b-two', 'a-one'])
    assert.deepEqual(await names(token, `/v1/projects/list?from=${times[1]}`), ['b-two', 'a-one'])
    assert.deepEqual(await names(token, '/v1/projects/list?limit=1'), ['c-one'])
    assert.deepEqual(await names(token, '/v1/projects/list?search=ONE'), ['c-one', 'a-one'])
  })

  test('a project is created with every setting, and shows them', async () => {
    const { token } = await server.signUp()
    const body = {
      name: 'full',
      buildCommand: 'npm run build',
      commandForIgnoringBuildStep: 'git diff --quiet',
      devCommand: 'npm run dev',
      installCommand: 'npm ci',
      outputDirectory: './dist/',
      rootDirectory: 'apps/web',
      serverlessFunctionRegion: 'iad1',
      framework: 'nextjs',
      publicSource: true,
      serverlessFunctionZeroConfigFailover: 'yes',
      skipGitConnectDuringLink: false,
      gitRepository: { type: 'github', repo: 'acme/site' },
    }
    const made = await create(token, body)
    assert.equal(made.status, 200)
    assertGolden('project/created', made.body)
    assert.deepEqual(await get(token, 'full'), made.body)
    assert.deepEqual(
      [made.body.outputDirectory, made.body.serverlessFunctionZeroConfigFailover, made.body.link.org],
      ['dist', true, 'acme'],
    )
    const plain = await create(token, { name: 'plain' })
    assertGolden('project/plain', plain.body)
    const taken = await create(token, { name: 'full' })
    assert.deepEqual([taken.status, taken.body.error.code], [409, 'conflict'])
    const unlinked = await create(token, {
      name: 'unlinked',
      gitRepository: { type: 'gitlab', repo: 'a/b' },
      skipGitConnectDuringLink: true,
    })
    assert.equal(unlinked.body.link, undefined)
  })

  test('what cannot be is refused and changes nothing', async () => {
    const { token } = await server.signUp()
    await create(token, { name: 'strict' })
    const before = await get(token, 'strict')
    const bad: [object, number][] = [
      [{ name: '' }, 400],
      [{ name: 'Upper' }, 400],
      [{ name: 'a---b' }, 400],
      [{ name: '._-' }, 400],
      [{ name: 'list' }, 400],
      [{ name: 'x'.repeat(101) }, 400],
      [{ colour: 'red' }, 400],
      [{ framework: 'nothing' }, 400],
      [{ nodeVersion: '99.x' }, 400],
      [{ nodeVersion: null }, 400],
      [{ directoryListing: 'yes' }, 400],
      [{ rootDirectory: '../up' }, 400],
      [{ outputDirectory: '/etc' }, 400],
      [{ buildCommand: 'x'.repeat(257) }, 400],
      [{ passwordProtection: { deploymentType: 'all' } }, 400],
      [{ passwordProtection: { deploymentType: 'some', password: 'x' } }, 400],
      [{ ssoProtection: { deploymentType: 'production' } }, 400],
      [
        {
          trustedIps: {
            deploymentType: 'all',
            addresses: [{ value: '1.2.3.4/33' }],
            protectionMode: 'exclusive',
          },
        },
        400,
      ],
      [{ optionsAllowlist: { paths: [{ value: 'api' }] } }, 400],
      [{ skewProtectionMaxAge: 1.5 }, 400],
    ]
    for (const [body, status] of bad) {
      const answer = await patch(token, 'strict', body)
      assert.deepEqual([answer.status, answer.body.error.code], [status, 'bad_request'], JSON.stringify(body))
    }
    assert.deepEqual(await get(token, 'strict'), before)
    const repo = { type: 'github', repo: 'no-owner' }
    assert.equal((await create(token, { name: 'linked', gitRepository: repo })).status, 400)
    assert.equal((await create(token, { name: 'linked', nodeVersion: '20.x' })).status, 400)
    assert.equal((await create(token, {})).status, 400)
  })

  test('every setting can be changed, and null clears those that may be empty', async () => {
    const { id, token } = await server.signUp()
    await create(token, { name: 'changing', framework: 'vite', buildCommand: 'make' })
    const settings = {
      autoAssignCustomDomains: false,
      autoExposeSystemEnvs: false,
      customerSupportCodeVisibility: true,
      directoryListing: true,
      emailOnFailedBuild: false,
      enablePreviewFeedback: true,
      gitForkProtection: false,
      gitLFS: true,
      publicSource: false,
      serverlessFunctionZeroConfigFailover: true,
      skipGitConnectDuringLink: true,
      sourceFilesOutsideRootDirectory: false,
      devCommand: 'dev',
      installCommand: '',
      nodeVersion: '18.x',
      optionsAllowlist: { paths: [{ value: '/api' }] },
      ssoProtection: { deploymentType: 'preview' },
      trustedIps: {
        deploymentType: 'production',
        addresses: [{ value: '10.0.0.0/8', note: 'office' }, { value: '192.0.2.1' }],
        protectionMode: 'additional',
      },
      skewProtectionBoundaryAt: 5,
      skewProtectionMaxAge: 60,
    }
    const changed = await patch(token, 'changing', {
      ...settings,
      passwordProtection: { deploymentType: 'all', password: 'open sesame' },
    })
    assert.equal(changed.status, 200)
    const { passwordProtection, autoAssignCustomDomainsUpdatedBy, framework, buildCommand } = changed.body
    assert.deepEqual(passwordProtection, { deploymentType: 'all' })
    assert.deepEqual([autoAssignCustomDomainsUpdatedBy, framework, buildCommand], [id, 'vite', 'make'])
    for (const [key, value] of Object.entries(settings)) assert.deepEqual(changed.body[key], value, key)
    const moved = await patch(token, 'changing', { passwordProtection: { deploymentType: 'preview' } })
    assert.deepEqual(moved.body.passwordProtection, { deploymentType: 'preview' })
    const stored = await server.parts.stores.projects.byIdOrName(id, 'changing')
    assert.doesNotMatch(JSON.stringify(stored), /open sesame/)

    const nullable = [
      'buildCommand',
      'commandForIgnoringBuildStep',
      'devCommand',
      'enablePreviewFeedback',
      'framework',
      'installCommand',
      'optionsAllowlist',
      'outputDirectory',
      'passwordProtection',
      'publicSource',
      'rootDirectory',
      'serverlessFunctionRegion',
      'ssoProtection',
      'trustedIps',
    ]
    const cleared = await patch(token, 'changing', Object.fromEntries(nullable.map((key) => [key, null])))
    assert.equal(cleared.status, 200)
    for (const key of nullable) assert.equal(cleared.body[key], null, key)
  })

  test('protections belong to plans', async () => {
    const { id, token } = await server.signUp()
    await create(token, { name: 'guarded' })
    const operator = await server.operator()
    const plan = (name: string) =>
      server.call(`PATCH /v1/operator/accounts/${id}`, { token: operator.token, body: { plan: name } })
    const password = { passwordProtection: { deploymentType: 'all', password: 'x' } }
    const sso = (deploymentType: string) => ({ ssoProtection: { deploymentType } })
    const ips = {
      trustedIps: { deploymentType: 'all', addresses: [{ value: '192.0.2.1' }], protectionMode: 'exclusive' },
    }
    const expected: [string, object, number][] = [
      ['free', password, 428],
      ['free', sso('all'), 428],
      ['free', sso('preview'), 200],
      ['free', ips, 400],
      ['pro', password, 428],
      ['pro', sso('all'), 200],
      ['pro', ips, 400],
      ['enterprise', password, 200],
      ['enterprise', ips, 200],
    ]
    for (const [name, body, status] of expected) {
      await plan(name)
      const answer = await patch(token, 'guarded', body)
      assert.equal(answer.status, status, `${name} ${JSON.stringify(body)}`)
      if (status === 428) assert.equal(answer.body.error.code, 'protection_not_available')
    }
  })

  test('changes that come at once lose nothing of each other', async () => {
    const { token } = await server.signUp()
    await create(token, { name: 'busy' })
    const changes = [
      { buildCommand: 'a' },
      { devCommand: 'b' },
      { installCommand: 'c' },
      { gitLFS: true },
      { directoryListing: true },
      { publicSource: true },
      { skewProtectionMaxAge: 7 },
      { autoExposeSystemEnvs: false },
    ]
    const answers = await Promise.all(changes.map((change) => patch(token, 'busy', change)))
    assert.deepEqual(
      answers.map(({ status }) => status),
      changes.map(() => 200),
    )
    const after = await get(token, 'busy')
    for (const change of changes)
      for (const [key, value] of Object.entries(change)) assert.equal(after[key], value, key)
  })

  test('a project is renamed, unless the name is taken', async () => {
    const { token } = await server.signUp()
    const { body: first } = await create(token, { name: 'first' })
    await create(token, { name: 'second' })
    const taken = await patch(token, 'first', { name: 'second', buildCommand: 'lost' })
    assert.deepEqual([taken.status, taken.body.error.code], [409, 'conflict'])
    assert.equal((await get(token, 'first')).buildCommand, null)
    const renamed = await patch(token, 'first', { name: 'my.first_site' })
    assert.deepEqual([renamed.body.id, renamed.body.name], [first.id, 'my.first_site'])
    assert.equal((await server.call('GET /v9/projects/first', { token })).status, 404)
    const made = await deploy(token, 'anything', { project: 'my.first_site', target: 'production' })
    assert.match(made.url, /^my-first-site-[a-z0-9]{9}\.localhost$/)
    assert.equal((await server.visit('my-first-site.localhost', '/')).body, 'home')
  })

  test('lists page by the last change and filter', async () => {
    const { token } = await server.signUp()
    for (const [name, type, repo] of [
      ['web-shop', 'github', 'acme/shop'],
      ['web-blog', 'gitlab', 'acme/group/blog'],
      ['api', 'bitbucket', 'acme/api'],
    ]) {
      await create(token, { name, gitRepository: { type, repo } })
      server.clock.advance(1)
    }
    await create(token, { name: 'bare' })
    server.clock.advance(1)
    await patch(token, 'web-shop', { gitForkProtection: false })
    const list = (query = '') => names(token, `/v9/projects${query}`)
    assert.deepEqual(await list(), ['web-shop', 'bare', 'api', 'web-blog'])
    const { body: page } = await server.call('GET /v9/projects?limit=2', { token })
    assert.deepEqual([page.pagination.count, page.pagination.prev], [2, null])
    assert.deepEqual(await list(`?limit=2&until=${page.pagination.next}`), ['api', 'web-blog'])
    assert.deepEqual(await list(`?from=${page.projects[1].updatedAt}`), ['web-shop'])
    assert.deepEqual(await list('?search=WEB-'), ['web-shop', 'web-blog'])
    assert.deepEqual(await list('?search=%25'), [])
    assert.deepEqual(await list('?search=b_'), [])
    assert.deepEqual(await list('?repo=acme/api'), ['api'])
    assert.deepEqual(await list('?repoUrl=https://github.com/acme/shop.git'), ['web-shop'])
    assert.deepEqual(await list('?repoUrl=https://gitlab.com/acme/shop'), [])
    assert.deepEqual(await list(`?repoId=${page.projects[0].link.repoId}`), ['web-shop'])
    assert.deepEqual(await list('?repoId=x'), [])
    assert.deepEqual(await list('?excludeRepos=acme/api,acme/shop'), ['bare', 'web-blog'])
    assert.deepEqual(await list('?gitForkProtection=0'), ['web-shop'])
    assert.deepEqual(await list('?gitForkProtection=1&search=web'), ['web-blog'])
    assert.deepEqual(await list('?edgeConfigId=ecfg_1'), [])
    assert.equal((await server.call('GET /v9/projects?limit=101', { token })).status, 400)
    assert.equal((await server.call('GET /v9/projects?gitForkProtection=2', { token })).status, 400)
  })

  test('a project shows what it has deployed, and what is in production', async () => {
    const { token } = await server.signUp('shown@aloft.test')
    const preview = await deploy(token, 'shown')
    assert.deepEqual((await get(token, 'shown')).targets, {})
    assert.equal((await get(token, 'shown')).live, false)
    const first = await deploy(token, 'shown', { target: 'production', meta: { a: 'b' } })
    const staging = await deploy(token, 'shown', { target: 'staging' })
    await deploy(token, 'other', { target: 'production' })
    const shown = await get(token, 'shown')
    assertGolden('project/deployed', settled(shown))
    assert.deepEqual(
      shown.latestDeployments.map(({ id }: { id: string }) => id),
      [staging.id, first.id, preview.id],
    )
    assert.deepEqual(
      [shown.live, shown.targets.production.id, shown.targets.staging.id],
      [true, first.id, staging.id],
    )
    const second = await deploy(token, 'shown', { target: 'production' })
    const { body } = await server.call('GET /v9/projects', { token })
    assert.deepEqual(
      body.projects.map((project: { name: string; targets: { production: { id: string } } }) => [
        project.name,
        project.targets.production.id === second.id,
      ]),
      [
        ['shown', true],
        ['other', false],
      ],
    )
    await server.call(`DELETE /v8/platform/deployments/${second.id}`, { token })
    assert.equal((await get(token, 'shown')).targets.production.id, first.id)
  })

  test('a deleted project takes its deployments, aliases and names with it', async () => {
    const { token } = await server.signUp()
    const made = await deploy(token, 'doomed', { target: 'production' })
    const preview = await deploy(token, 'doomed')
    const kept = await deploy(token, 'kept')
    for (const host of [made.url, 'doomed.localhost'])
      assert.equal((await server.visit(host, '/')).status, 200)
    const { status } = await server.call('DELETE /v9/projects/doomed', { token })
    assert.equal(status, 204)
    for (const host of [made.url, preview.url]) assert.equal((await server.visit(host, '/')).status, 410)
    for (const host of ['doomed.localhost', made.aliasFinal[0]])
      assert.equal((await server.visit(host, '/')).status, 404)
    assert.equal((await server.visit(kept.url, '/')).status, 200)
    for (const { id } of [made, preview])
      assert.equal((await server.call(`GET /v8/platform/deployments/${id}`, { token })).status, 404)
    assert.equal((await server.call('GET /v9/projects/doomed', { token })).status, 404)
    const { body } = await server.call('GET /v2/platform/aliases', { token })
    assert.deepEqual(
      body.aliases.map(({ projectId }: { projectId: string }) => projectId),
      [kept.projectId],
    )
    const anew = await deploy(token, 'doomed', { target: 'production' })
    assert.notEqual(anew.projectId, made.projectId)
    assert.equal((await server.visit('doomed.localhost', '/')).status, 200)
  })

  test('a deleted project leaves alone what others took of its names', async () => {
    const [first, second] = [await server.signUp(), await server.signUp()]
    const made = await deploy(first.token, 'given-up')
    const [host] = made.aliasFinal
    assert.equal(
      (await server.call(`DELETE /v2/platform/aliases/${host}`, { token: first.token })).status,
      200,
    )
    const theirs = await deploy(second.token, 'taker', { files: [{ file: 'index.html', data: 'theirs' }] })
    const assigned = await server.call(`POST /v2/platform/deployments/${theirs.id}/aliases`, {
      token: second.token,
      body: { alias: host },
    })
    assert.equal(assigned.status, 200)
    assert.equal((await server.call('DELETE /v9/projects/given-up', { token: first.token })).status, 204)
    assert.equal((await server.visit(host, '/')).body, 'theirs')
  })

  test('the data cache is switched by a call of its own', async () => {
    const { token } = await server.signUp()
    const { body: made } = await create(token, { name: 'cached' })
    const off = await server.call(`PATCH /v1/data-cache/projects/${made.id}`, {
      token,
      body: { disabled: true },
    })
    assert.deepEqual(off.body.dataCache, { userDisabled: true, storageSizeBytes: 0, unlimited: true })
    const same = await server.call('PATCH /v1/data-cache/projects/cached', { token, body: {} })
    assert.equal(same.body.dataCache.userDisabled, true)
    const on = await server.call('PATCH /v1/data-cache/projects/cached', { token, body: { disabled: false } })
    assert.equal(on.body.dataCache.userDisabled, false)
  })

  test('a team has projects of its own, by its id or its slug', async () => {
    const { token } = await server.signUp()
    const { body: team } = await server.call('POST /v1/teams', { token, body: { slug: 'project-team' } })
    const made = await create(token, { name: 'shared' }, '?slug=project-team')
    assert.equal(made.body.accountId, team.id)
    assert.equal((await server.call('GET /v9/projects/shared', { token })).status, 404)
    assert.deepEqual(await names(token, `/v9/projects?teamId=${team.id}`), ['shared'])
    assert.equal((await create(token, { name: 'shared' })).status, 200)
  })

  test('listings answer a directory at once after the setting was changed', async () => {
    const { token } = await server.signUp()
    const made = await deploy(token, 'listing', { files: [{ file: 'a/b.txt', data: 'b' }] })
    assert.equal((await server.visit(made.url, '/a/')).status, 404)
    await patch(token, 'listing', { directoryListing: true })
    assert.equal((await server.visit(made.url, '/a/')).status, 200)
  })
})
