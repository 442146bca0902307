import assert from 'node:assert/strict'
import { readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { HOUR, MINUTE } from '#contract/time.ts'
import { copyOf, HELD } from '#core/git/git-repositories.ts'
import { newPush } from '#core/git/push/new-push.ts'
import { queuePush } from '#core/git/push/queue-push.ts'
import { BuildFailure } from '#core/ports/builder.ts'
import { runGit, type WorkTree, workTree } from '../../support/git/git.ts'
import { outputOf, ScriptedBuilder } from '../../support/scripted-builder.ts'
import { type Account, startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

interface ShownPush {
  readonly id: string
  readonly ref: string
  readonly state: string
  readonly source: string
  readonly deploymentId: string | null
  readonly reason: { readonly code: string; readonly message: string } | null
}

let server: TestServer
const builder = new ScriptedBuilder()

before(async () => {
  server = await startServer({
    workers: { builder, buildsAtOnce: 2 },
    env: { ALOFT_GIT_MAX_PUSH: '2M', ALOFT_GIT_MAX_REFS: '30' },
  })
  await server.startJobs()
})
after(() => server?.close())

const remoteOf = ({ username, token }: Pick<Account, 'username' | 'token'>, project: string) =>
  `${server.url.replace('://', `://git:${token}@`)}/git/${username}/${project}.git`

let count = 0

/** Somebody with a repository whose remote is a project that there is not yet. */
async function desk(t: TestContext, files: Record<string, string> = { 'index.html': 'first' }) {
  const account = await server.signUp()
  const project = `site-${++count}`
  const tree = await workTree(t, files)
  const commit = await tree.commit('The first')
  await tree.must('remote', 'add', 'aloft', remoteOf(account, project))
  const pushes = async (): Promise<readonly ShownPush[]> =>
    (await server.call(`GET /v1/projects/${project}/pushes`, account)).body.pushes
  return { account, project, tree, commit, pushes }
}

const shown = (host: string) => server.visit(host, '/')

const change = async (tree: WorkTree, text: string): Promise<string> => {
  await tree.write('index.html', text)
  return tree.commit(text)
}

describe('a push', () => {
  test('of main makes the project and is live, and the pusher is told where', async (t) => {
    const { account, project, tree, commit, pushes } = await desk(t)
    const { ok, said } = await tree.git('push', 'aloft', 'main')
    assert.ok(ok, said)
    assert.match(said, new RegExp(`remote: main: live at http://${project}\\.localhost`))
    assert.equal((await shown(`${project}.localhost`)).body, 'first')
    assert.equal((await shown(`${project}-git-main-${account.username}.localhost`)).body, 'first')
    const [push] = await pushes()
    assert.equal(push?.state, 'deployed')
    const { body } = await server.call(`GET /v8/platform/deployments/${push?.deploymentId}`, account)
    assert.equal(body.target, 'production')
    assert.equal((await server.call(`GET /v9/projects/${project}`, account)).body.nodeVersion, '24.x')
    const { gitCommitSha, gitCommitMessage, gitCommitAuthorName, gitBranch } = body.meta
    assert.deepEqual(
      { gitCommitSha, gitCommitMessage, gitCommitAuthorName, gitBranch },
      {
        gitCommitSha: commit,
        gitCommitMessage: 'The first',
        gitCommitAuthorName: 'Ada',
        gitBranch: 'main',
      },
    )
  })

  test('of a branch that an environment names goes there, and production goes before that', async (t) => {
    const { account, project, tree, pushes } = await desk(t)
    await tree.must('push', 'aloft', 'main')
    for (const [slug, type, pattern] of [
      ['releases', 'startsWith', 'release/'],
      ['everything', 'endsWith', 'n'],
    ])
      await server.call(`POST /v9/projects/${project}/custom-environments`, {
        token: account.token,
        body: { slug, branchMatcher: { type, pattern } },
      })
    await tree.must('checkout', '-q', '-b', 'release/1')
    await change(tree, 'to be tested')
    await tree.must('push', 'aloft', 'release/1')
    const made = async () => {
      const [push] = await pushes()
      return (await server.call(`GET /v8/platform/deployments/${push?.deploymentId}`, account)).body
    }
    assert.equal((await made()).customEnvironment.slug, 'releases')
    const host = `${project}-env-releases-${account.username}.localhost`
    assert.equal((await shown(host)).body, 'to be tested')
    assert.equal((await shown(`${project}.localhost`)).body, 'first')
    await tree.must('push', 'aloft', 'release/1:main')
    const { target, customEnvironment } = await made()
    assert.deepEqual([target, customEnvironment], ['production', undefined])
    await tree.must('push', 'aloft', 'release/1:other')
    assert.equal((await made()).customEnvironment, undefined)
  })

  test('of another branch is a preview; its name follows the branch through a force push and goes with it', async (t) => {
    const { account, project, tree, pushes } = await desk(t)
    await tree.must('push', 'aloft', 'main')
    await tree.must('checkout', '-q', '-b', 'feature/New_Thing')
    await change(tree, 'second')
    const host = `${project}-git-feature-new-thing-${account.username}.localhost`
    const { said } = await tree.git('push', 'aloft', 'feature/New_Thing')
    assert.match(said, new RegExp(`ready at http://${host}`))
    assert.equal((await shown(host)).body, 'second')
    assert.equal((await shown(`${project}.localhost`)).body, 'first')
    await tree.must('reset', '-q', '--hard', 'HEAD~1')
    await change(tree, 'third')
    await tree.must('push', '--force', 'aloft', 'feature/New_Thing')
    assert.equal((await shown(host)).body, 'third')
    const [latest] = await pushes()
    const deleted = await tree.git('push', 'aloft', '--delete', 'feature/New_Thing')
    assert.match(deleted.said, /The branch was deleted: .* is no longer served/)
    assert.equal((await shown(host)).status, 404)
    const kept = await server.call(`GET /v8/platform/deployments/${latest?.deploymentId}`, account)
    assert.equal(kept.body.readyState, 'READY')
    assert.equal((await pushes())[0]?.reason?.code, 'branch_deleted')
  })

  test('of two branches that look alike in a name gives each its own', async (t) => {
    const { project, tree, account } = await desk(t)
    await tree.must('push', 'aloft', 'main:a/b', '-o', 'nowait')
    await server.runJobs()
    const { said } = await tree.git('push', 'aloft', 'main:a-b')
    const [, host = ''] = /ready at http:\/\/(\S+)/.exec(said) ?? []
    assert.match(host, new RegExp(`^${project}-git-a-b-[0-9a-f]{6}-${account.username}\\.`))
    assert.equal((await shown(host)).status, 200)
  })

  test('of a tag is stored and says why it is not deployed', async (t) => {
    const { tree, pushes } = await desk(t)
    await tree.must('push', 'aloft', 'main')
    await tree.must('tag', 'v1')
    const { ok, said } = await tree.git('push', 'aloft', 'v1')
    assert.ok(ok)
    assert.match(said, /remote: .*Tags are stored but not deployed/)
    assert.equal((await pushes())[0]?.reason?.code, 'tag')
  })

  test('from a shallow clone is taken, and a clone gets everything back', async (t) => {
    const { account, project, tree } = await desk(t)
    for (const text of ['second', 'third']) await change(tree, text)
    await tree.must('push', 'aloft', 'main')
    const other = await workTree(t)
    const remote = remoteOf(account, project)
    const cloned = await runGit(other.folder, 'clone', '-q', '--depth', '1', remote, 'shallow')
    assert.ok(cloned.ok, cloned.said)
    const shallow = join(other.folder, 'shallow')
    await writeFile(join(shallow, 'index.html'), 'fourth')
    await runGit(shallow, 'commit', '-q', '-a', '-m', 'Fourth')
    const pushed = await runGit(shallow, 'push', 'origin', 'main')
    assert.ok(pushed.ok, pushed.said)
    assert.equal((await shown(`${project}.localhost`)).body, 'fourth')
    await tree.must('fetch', '-q', 'aloft')
    assert.equal(await tree.must('log', '--format=%s', 'aloft/main'), 'Fourth\nthird\nsecond\nThe first')
  })

  test('with `-o prod` goes to production from any branch', async (t) => {
    const { project, tree } = await desk(t)
    await tree.must('push', 'aloft', 'main')
    await tree.must('checkout', '-q', '-b', 'next')
    await change(tree, 'next')
    await tree.must('push', '-o', 'prod', 'aloft', 'next')
    assert.equal((await shown(`${project}.localhost`)).body, 'next')
  })

  test('of master, where there is no main, goes to production', async (t) => {
    const { project, tree } = await desk(t)
    await tree.must('push', 'aloft', 'main:master')
    assert.equal((await shown(`${project}.localhost`)).body, 'first')
  })

  test('leaves out links that lead out of the repository, and follows those within', async (t) => {
    const { project, tree } = await desk(t)
    await tree.link('inside.html', 'index.html')
    await tree.link('outside.txt', '../../../../etc/passwd')
    await tree.link('absolute.txt', '/etc/passwd')
    await tree.commit()
    const { said } = await tree.git('push', 'aloft', 'main')
    assert.match(said, /outside\.txt is a symlink that points outside the repository/)
    assert.equal((await server.visit(`${project}.localhost`, '/inside.html')).body, 'first')
    for (const path of ['/outside.txt', '/absolute.txt'])
      assert.equal((await server.visit(`${project}.localhost`, path)).status, 404)
  })
})

describe('a push is refused', () => {
  test('without a token, with a wrong one, and for somebody else’s account', async (t) => {
    const { account, project, tree, pushes } = await desk(t)
    await tree.must('push', 'aloft', 'main')
    const stranger = await server.signUp()
    for (const remote of [
      `${server.url}/git/${account.username}/${project}.git`,
      remoteOf({ ...account, token: 'wrong' }, project),
      remoteOf({ ...account, token: stranger.token }, project),
    ]) {
      assert.equal((await tree.git('push', remote, 'main:other')).ok, false)
      assert.equal((await tree.git('ls-remote', remote)).ok, false)
    }
    assert.equal((await pushes()).length, 1)
  })

  test('where it is larger than allowed, and that is recorded', async (t) => {
    const { tree, pushes } = await desk(t)
    await tree.write(
      'large.bin',
      Buffer.from(crypto.getRandomValues(new Uint8Array(65536)).buffer)
        .toString('hex')
        .repeat(1),
    )
    const noise = Array.from({ length: 60 }, () =>
      Buffer.from(crypto.getRandomValues(new Uint8Array(60000))).toString('base64'),
    )
    await tree.write('large.bin', noise.join('\n'))
    await tree.commit()
    const { ok } = await tree.git('push', 'aloft', 'main')
    assert.equal(ok, false)
    const [push] = await pushes()
    assert.equal(push?.state, 'failed')
    assert.equal(push?.reason?.code, 'refused')
  })

  test('where a ref is neither a branch nor a tag, or a tree holds what no repository should', async (t) => {
    const { tree, pushes } = await desk(t)
    await tree.must('push', 'aloft', 'main')
    const hidden = await tree.git('push', 'aloft', 'main:refs/changes/1')
    assert.equal(hidden.ok, false)
    assert.match(hidden.said, /only branches .* and tags/)
    const blob = await tree.must('rev-parse', 'HEAD:index.html')
    for (const name of ['.git', '..']) {
      await writeFile(join(tree.folder, '.tree'), `100644 ${name}\0`)
      const raw = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')])
      await writeFile(join(tree.folder, '.tree'), raw)
      const evil = await tree.must('hash-object', '-t', 'tree', '-w', '--literally', '.tree')
      const commit = await tree.must('commit-tree', evil, '-m', 'Evil')
      const { ok, said } = await tree.git('push', 'aloft', `${commit}:refs/heads/evil`)
      assert.equal(ok, false, said)
    }
    assert.deepEqual(
      (await pushes()).map(({ state }) => state),
      ['failed', 'failed', 'deployed'],
    )
  })
})

describe('what has to be built', () => {
  const files = { 'package.json': JSON.stringify({ scripts: { build: 'build' } }), 'src/a.js': '1' }

  test('is seen as it goes; a build that fails does not undo the push, and says so', async (t) => {
    const { tree, pushes } = await desk(t, files)
    builder.next(async ({ env }, { log, began }) => {
      await began('')
      await log('').stdout(`commit ${env.VERCEL_GIT_COMMIT_SHA}`)
      throw new BuildFailure('build_failed', 'It exited with 1.')
    })
    const { ok, said } = await tree.git('push', 'aloft', 'main')
    assert.ok(ok, said)
    assert.match(said, new RegExp(`remote: commit ${await tree.must('rev-parse', 'HEAD')}`))
    assert.match(said, /remote: main: the deployment failed: It exited with 1\./)
    assert.match(said, /remote: Your push was stored/)
    assert.equal((await pushes())[0]?.state, 'deployed')
  })

  test('is built one at a time for a branch, and only the newest of those that wait', async (t) => {
    const { tree, pushes, account } = await desk(t, files)
    const first = Promise.withResolvers<void>()
    const began = Promise.withResolvers<void>()
    const built: string[] = []
    builder.next(async ({ env }) => {
      built.push(env.VERCEL_GIT_COMMIT_MESSAGE ?? '')
      began.resolve()
      if (built.length === 1) await first.promise
      return outputOf({})
    })
    await tree.must('push', '-o', 'nowait', 'aloft', 'main')
    await began.promise
    for (const text of ['second', 'third']) {
      await change(tree, text)
      await tree.must('push', '-o', 'nowait', 'aloft', 'main')
    }
    const states = async () => (await pushes()).map(({ state, reason }) => reason?.code ?? state)
    await until(async () => (await states()).join() === 'waiting,superseded,deployed')
    first.resolve()
    await until(async () => (await states()).join() === 'deployed,superseded,deployed')
    await until(async () => built.length === 2)
    assert.deepEqual(built, ['The first', 'third'])
    const [newest] = await pushes()
    await until(async () => {
      const { body } = await server.call(`GET /v8/platform/deployments/${newest?.deploymentId}`, account)
      return body.readyState === 'READY'
    })
  })
})

describe('a push that leads to no deployment says why', () => {
  test('where the configuration file switches its branch off', async (t) => {
    const off = JSON.stringify({ git: { deploymentEnabled: { 'internal/*': false } } })
    const { tree, pushes } = await desk(t, { 'index.html': 'first', 'vercel.json': off })
    const { said } = await tree.git('push', 'aloft', 'main:internal/a')
    assert.match(said, /disabled by `git\.deploymentEnabled` in vercel\.json/)
    assert.equal((await pushes())[0]?.reason?.code, 'deployment_disabled')
    await tree.must('push', 'aloft', 'main')
    assert.equal((await pushes())[0]?.state, 'deployed')
  })

  test('where it leaves the folder of the project alone; it can be run again', async (t) => {
    const { tree, project, account, pushes } = await desk(t, {
      'package.json': JSON.stringify({ workspaces: ['apps/*', 'packages/*'] }),
      'apps/web/package.json': JSON.stringify({ name: 'web', dependencies: { used: '*' } }),
      'apps/web/index.html': 'web',
      'packages/used/package.json': JSON.stringify({ name: 'used' }),
      'packages/other/package.json': JSON.stringify({ name: 'other' }),
    })
    await server.call('POST /v10/projects', {
      ...account,
      body: { name: project, rootDirectory: 'apps/web', framework: null },
    })
    builder.next(async () => outputOf({}))
    const pushed = async (path: string) => {
      await tree.write(path, `${Math.random()}`)
      await tree.commit()
      await tree.must('push', 'aloft', 'main')
      return (await pushes())[0] as ShownPush
    }
    assert.equal((await pushed('apps/web/a.txt')).state, 'deployed')
    const skipped = await pushed('packages/other/a.txt')
    assert.equal(skipped.reason?.code, 'untouched')
    assert.equal((await pushed('packages/used/a.txt')).state, 'deployed')
    const again = await server.call(`POST /v1/projects/${project}/pushes/${skipped.id}/run-again`, account)
    assert.equal(again.status, 202)
    await until(async () => (await pushes())[0]?.state === 'deployed')
    assert.equal((await pushes())[0]?.source, 'again')
  })
})

test('a repository has so many branches and tags and no more, and nothing is stored of a push that adds others', async (t) => {
  const { account, project, tree, commit, pushes } = await desk(t)
  const tags = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => `refs/tags/v${from + i}`)
  const most = /at most 30 branches and tags; this one has (\d+)\. Delete those/
  for (const tag of tags(0, 40)) await tree.must('update-ref', tag, commit)
  const first = await tree.git('push', '-o', 'nowait', 'aloft', 'main', ...tags(0, 30))
  assert.deepEqual([first.ok, most.exec(first.said)?.[1]], [false, '0'], first.said)
  assert.equal((await server.call(`GET /v9/projects/${project}`, account)).status, 404)
  await tree.must('push', '-o', 'nowait', 'aloft', 'main', ...tags(0, 29))
  await server.runJobs()
  const before = (await pushes()).length
  const another = await tree.git('push', 'aloft', 'v29')
  assert.deepEqual([another.ok, most.exec(another.said)?.[1]], [false, '30'], another.said)
  assert.equal((await pushes()).length, before)
  assert.equal((await tree.must('ls-remote', '--tags', 'aloft')).split('\n').length, 29)
  // What is there can be moved and deleted, and what is deleted makes room in the same push.
  await change(tree, 'second')
  await tree.must('push', '-o', 'nowait', 'aloft', 'main')
  await tree.must('push', '-o', 'nowait', 'aloft', ':v0', 'v29')
  assert.equal((await tree.git('push', 'aloft', 'v30')).ok, false)
})

test('what git took is deployed although whoever received it died before that was recorded', async (t) => {
  const { project, tree, account, pushes } = await desk(t)
  await tree.must('push', 'aloft', 'main')
  const { pushes: store } = server.parts.stores
  const commit = await change(tree, 'second')
  await tree.must('push', '-o', 'nowait', 'aloft', 'main')
  const [last] = await pushes()
  await until(async () => (await pushes())[0]?.state === 'deployed')
  // As it was left by a process that died after git had moved the ref.
  const lost = { ...(await store.byId(last?.id ?? '')), id: 'push_lost', state: 'receiving' } as never
  await store.add({ ...(lost as object), deploymentId: null, createdAt: server.clock.now() } as never)
  server.clock.advance(11 * MINUTE)
  await server.call('POST /v1/operator/jobs/git.rounds/run', await server.operator())
  await until(async () => (await store.byId('push_lost'))?.state === 'deployed')
  const found = await store.byId('push_lost')
  const { body } = await server.call(`GET /v8/platform/deployments/${found?.deploymentId}`, account)
  assert.equal(body.meta.gitCommitSha, commit)
  assert.equal((await shown(`${project}.localhost`)).body, 'second')
})

test('room that was held for a push whose process was killed comes back', async (t) => {
  const { project, tree, account } = await desk(t)
  await tree.must('push', 'aloft', 'main')
  const { id } = (await server.call(`GET /v9/projects/${project}`, account)).body
  const { gitSizes } = server.parts.stores
  await gitSizes.set(copyOf(id, `${HELD}${server.clock.now()}-killed`), 5_000_000)
  const { token } = await server.operator()
  const body = { contentBytes: 5_000_000 }
  await server.call(`PATCH /v1/operator/accounts/${account.email}/quotas`, { token, body })
  await change(tree, 'second')
  assert.match((await tree.git('push', 'aloft', 'main')).said, /Your plan allows .+ of storage/)
  server.clock.advance(2 * HOUR + MINUTE)
  await server.call('POST /v1/operator/jobs/git.rounds/run', { token })
  await until(async () => (await gitSizes.used(account.id)) < 5_000_000)
  await tree.must('push', 'aloft', 'main')
  assert.equal((await shown(`${project}.localhost`)).body, 'second')
})

test('what a deleted branch held is given back after a while, and a push of it can then not be run again', async (t) => {
  const { project, tree, account, pushes } = await desk(t)
  await tree.must('push', 'aloft', 'main')
  await tree.must('checkout', '-q', '-b', 'side')
  const commit = await change(tree, 'aside')
  await tree.must('push', 'aloft', 'side')
  const [pushed] = await pushes()
  await tree.must('push', 'aloft', '--delete', 'side')
  const { body } = await server.call(`GET /v9/projects/${project}`, account)
  const at = join(server.dataDir, 'git', `${body.id}.git`)
  const has = async () => (await runGit(at, 'cat-file', '-e', commit)).ok
  const tidy = async () => server.call('POST /v1/operator/jobs/git.tidy/run', await server.operator())
  const objects = (await readdir(join(at, 'objects'), { recursive: true })).map((path) =>
    join(at, 'objects', path),
  )
  for (const path of objects) await utimes(path, 1, 1)
  assert.equal(await has(), true)
  assert.equal((await tidy()).status, 200)
  await until(async () => !(await has()))
  await server.call(`POST /v1/projects/${project}/pushes/${pushed?.id}/run-again`, account)
  await until(async () => (await pushes())[0]?.reason?.code === 'commit_gone')
  await change(tree, 'back again')
  await tree.must('push', 'aloft', 'HEAD:main', '--force')
  assert.equal((await shown(`${project}.localhost`)).body, 'back again')
})

test('files that did not change are not stored again', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`page-${i}.html`, `page ${i}`]))
  const { tree } = await desk(t, { 'index.html': 'first', ...many })
  await tree.must('push', 'aloft', 'main')
  let put = 0
  for (const { blobs } of server.allParts) {
    const { putBytes } = blobs
    t.after(() => Object.assign(blobs, { putBytes }))
    Object.assign(blobs, {
      putBytes: (bytes: Uint8Array) => {
        put++
        return putBytes.call(blobs, bytes)
      },
    })
  }
  await change(tree, 'second')
  await tree.must('push', 'aloft', 'main')
  assert.equal(put, 1)
})

test('a deploy hook deploys its branch without a token until it is revoked', async (t) => {
  const { project, tree, account, pushes } = await desk(t)
  await tree.must('push', 'aloft', 'main')
  const made = await server.call(`POST /v2/projects/${project}/deploy-hooks`, {
    ...account,
    body: { name: 'cms', ref: 'main' },
  })
  assert.equal(made.status, 201)
  const [hook] = made.body.link.deployHooks
  assert.deepEqual([hook.name, hook.ref, typeof hook.createdAt], ['cms', 'main', 'number'])
  const path = new URL(hook.url).pathname
  const called = await server.call(`POST ${path}`)
  assert.equal(called.status, 201)
  assert.deepEqual(Object.keys(called.body.job), ['id', 'state', 'createdAt'])
  await until(async () => (await pushes())[0]?.state === 'deployed')
  const [push] = await pushes()
  assert.deepEqual([push?.id, push?.source], [called.body.job.id, 'hook'])
  const missing = await server.call(`POST /v2/projects/${project}/deploy-hooks`, {
    ...account,
    body: { name: 'other', ref: 'not-there' },
  })
  await server.call(`POST ${new URL(missing.body.link.deployHooks[1].url).pathname}`)
  await until(async () => (await pushes())[0]?.reason?.code === 'no_branch')
  await server.call(`DELETE /v2/projects/${project}/deploy-hooks/${hook.id}`, account)
  assert.equal((await server.call(`POST ${path}`)).status, 404)
})

test('a blocked account deploys nothing that is pushed, polled or called for by a hook', async (t) => {
  const { project, tree, commit, account, pushes } = await desk(t)
  await tree.must('push', 'aloft', 'main')
  await until(async () => (await pushes())[0]?.state === 'deployed')
  const made = await server.call(`POST /v2/projects/${project}/deploy-hooks`, {
    ...account,
    body: { name: 'cms', ref: 'main' },
  })
  const call = () => server.call(`POST ${new URL(made.body.link.deployHooks[0].url).pathname}`)
  await server.parts.stores.users.update(account.id, { softBlocked: true })
  const refused = await call()
  assert.deepEqual([refused.status, refused.body.error.code], [402, 'payment_required'])
  await change(tree, 'second')
  assert.match((await tree.git('push', 'aloft', 'main')).said, /402/)
  assert.equal((await pushes()).length, 1)
  // What was found at a host, or was on its way when the account was blocked.
  const found = await server.parts.transact(async (stores) => {
    const push = await newPush(stores.pushes, server.clock, {
      ...{ ownerId: account.id, projectId: made.body.id, userId: account.id, source: 'poll' },
      ...{ ref: 'refs/heads/main', before: null, after: commit, state: 'queued' },
    })
    await queuePush(stores.jobs, push)
    return push
  })
  await until(async () => (await pushes())[0]?.state === 'failed')
  const [push] = await pushes()
  assert.deepEqual([push?.id, push?.reason?.code], [found.id, 'payment_required'])
})

test('another production branch can be chosen', async (t) => {
  const { project, tree, account } = await desk(t)
  await tree.must('push', 'aloft', 'main')
  const setBranch = (name: string) =>
    server.call(`PATCH /v9/projects/${project}`, { ...account, body: { productionBranch: name } })
  assert.equal((await setBranch('')).status, 400)
  assert.equal((await setBranch('live')).status, 200)
  await change(tree, 'second')
  await tree.must('push', 'aloft', 'main')
  assert.equal((await shown(`${project}.localhost`)).body, 'first')
  await tree.must('push', 'aloft', 'main:live')
  assert.equal((await shown(`${project}.localhost`)).body, 'second')
})
