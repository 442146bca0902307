import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Output, Program } from '#core/output/output.ts'
import { BuildFailure } from '#core/ports/builder.ts'
import { type Booted, RunnerError } from '#core/ports/runner.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { sampleInstance } from '#test/support/samples.ts'
import { outputOf, ScriptedBuilder } from '#test/support/scripted-builder.ts'

const builder = new ScriptedBuilder()
let boot: () => Promise<Booted> = () => Promise.reject(new Error('nothing is to be run'))

apiSuite('builds', suite, { workers: { builder, boot: () => boot() } })

const PACKAGE = JSON.stringify({ scripts: { build: 'make-it' } })

const COMMAND: Program = {
  id: 'server',
  runtime: 'node',
  version: '20.x',
  shape: 'command',
  entry: 'server.js',
  command: ['node', 'server.js'],
  archive: { sha1: 'a'.repeat(40), sha256: 'a'.repeat(64), size: 1 },
  fileCount: 1,
  memoryMb: 128,
  maxDuration: 10,
  env: {},
}

function suite(server: Parameters<Parameters<typeof apiSuite>[1]>[0]): void {
  let count = 0
  const create = async (token: string, more: Record<string, unknown> = {}) => {
    const body = {
      version: 2,
      name: `built-${++count}`,
      files: [
        { file: 'package.json', data: PACKAGE },
        { file: 'source.txt', data: 'source' },
      ],
      ...more,
    }
    const { body: made } = await server.call('POST /v8/platform/deployments', { token, body })
    return made
  }
  const read = async (token: string, id: string) =>
    (await server.call(`GET /v8/platform/deployments/${id}`, { token })).body
  const events = async (token: string, id: string): Promise<{ type: string; payload: { text: string } }[]> =>
    (await server.call(`GET /v2/platform/deployments/${id}/events?builds=1`, { token })).body
  /** Puts what an output refers to into the store, as a builder does. */
  const stored = async (texts: Record<string, string>, more: Partial<Output> = {}) => {
    for (const text of Object.values(texts)) await server.parts.blobs.putBytes(Buffer.from(text))
    return outputOf(texts, more)
  }

  test('a deployment is built, told of line by line, and served', async () => {
    const { token } = await server.signUp()
    const seen: string[] = []
    builder.next(async (task, { began, ended, log }) => {
      const run = task.deployment.buildRuns[0]?.id ?? ''
      seen.push((await read(token, task.deployment.id)).readyState)
      await began(run)
      const { readyState } = await read(token, task.deployment.id)
      const builds = await server.call(`GET /v5/platform/deployments/${task.deployment.id}/builds`, { token })
      seen.push(readyState, builds.body.builds[0].readyState)
      await log(run).command('make-it')
      await log(run).stdout('made')
      await ended(run)
      return stored({ 'index.html': 'built page' })
    })
    const made = await create(token, { build: { env: { COLOUR: 'red' } } })
    assert.equal(made.readyState, 'INITIALIZING')
    assert.equal((await server.visit(made.url, '/')).status, 404)
    await server.runJobs()
    assert.deepEqual(seen, ['ANALYZING', 'BUILDING', 'BUILDING'])
    const ready = await read(token, made.id)
    assert.deepEqual([ready.readyState, ready.aliasAssigned, ready.aliasError], ['READY', true, null])
    assert.equal((await server.visit(made.url, '/')).body, 'built page')
    assert.equal((await server.visit(ready.aliasFinal[0], '/')).body, 'built page')
    assert.equal((await server.visit(made.url, '/source.txt')).status, 404)
    const lines = (await events(token, made.id)).map(({ type, payload }) => [type, payload.text])
    assert.deepEqual(lines.slice(0, 2), [
      ['command', 'make-it'],
      ['stdout', 'made'],
    ])
    const [task] = builder.tasks.slice(-1)
    assert.equal(task?.env.COLOUR, 'red')
    assert.equal(task?.env.PLATFORM_URL, made.url)
    assert.deepEqual(
      task?.files.map(({ path }) => path),
      ['package.json', 'source.txt'],
    )
  })

  test('other clients are told when the build was begun and when it was done, alone and in lists', async () => {
    const { token } = await server.signUp()
    const listed = async () => (await server.call('GET /v6/deployments', { token })).body.deployments[0]
    builder.next(() => {
      server.clock.advance(2000)
      return stored({ 'index.html': 'page' })
    })
    const made = await create(token)
    const waits = await listed()
    assert.deepEqual([waits.uid, waits.buildingAt, waits.ready], [made.id, undefined, undefined])
    server.clock.advance(1000)
    await server.runJobs()
    const { body: built } = await server.call(`GET /v13/deployments/${made.id}`, { token })
    assert.ok(built.buildingAt >= made.createdAt + 1000, 'it waited for its turn')
    assert.ok(built.ready >= built.buildingAt + 2000, 'it took its time')
    const { buildingAt, ready } = await listed()
    assert.deepEqual([buildingAt, ready], [built.buildingAt, built.ready])
  })

  test('what a build left behind is shown, but for what is secret', async () => {
    const { token } = await server.signUp()
    boot = async () => ({ listening: true })
    const prerender = { expiration: 60, bypassToken: 'bypass-secret', passQuery: false }
    builder.next(() =>
      stored(
        { 'index.html': 'page' },
        {
          routes: [{ src: '/old', status: 308, headers: { location: '/new' } }],
          functions: [
            { path: 'api/hello', program: 'server' },
            { path: 'blog', program: 'server', prerender },
          ],
          programs: [{ ...COMMAND, env: { HIDDEN: 'env-secret' } }],
        },
      ),
    )
    const made = await create(token)
    const output = async () => (await server.call(`GET /v1/deployments/${made.id}/output`, { token })).body
    assert.deepEqual((await output()).files, { count: 0, bytes: 0 })
    await server.runJobs()
    await server.parts.stores.instances.add(sampleInstance({ deploymentId: made.id, program: 'server' }))
    const shown = await output()
    assert.ok(!JSON.stringify(shown).includes('secret'))
    assert.deepEqual(shown.files, { count: 1, bytes: 4 })
    assert.deepEqual(shown.routes, [{ src: '/old', status: 308, headers: { location: '/new' } }])
    assert.deepEqual(shown.functions, [
      { path: 'api/hello', program: 'server' },
      { path: 'blog', program: 'server', revalidate: 60 },
    ])
    const [program] = shown.programs
    assert.deepEqual(
      [program.runtime, program.version, program.memoryMb, program.bytes],
      ['node', '20.x', 128, 1],
    )
    assert.deepEqual([shown.instances.length, shown.instances[0].program], [1, 'server'])
    assert.equal(typeof shown.readyAt, 'number')
    // Without a build, the files are what is served.
    const plain = await create(token, { files: [{ file: 'a.txt', data: 'four' }] })
    const { body } = await server.call(`GET /v1/deployments/${plain.id}/output`, { token })
    assert.deepEqual([body.files, body.programs], [{ count: 1, bytes: 4 }, []])
  })

  test('a build that fails says why, and shows nothing', async () => {
    const { token } = await server.signUp()
    builder.next(() => Promise.reject(new BuildFailure('command_failed', 'make-it exited with code 2.')))
    const made = await create(token)
    await server.runJobs()
    const failed = await read(token, made.id)
    assert.deepEqual(
      [failed.readyState, failed.errorCode, failed.errorMessage, failed.errorStep],
      ['ERROR', 'command_failed', 'make-it exited with code 2.', 'build'],
    )
    const texts = (await events(token, made.id)).map(({ payload }) => payload.text)
    assert.deepEqual(texts, ['Error: make-it exited with code 2.'])
    assert.equal((await server.visit(made.url, '/')).headers.get('x-platform-error'), 'DEPLOYMENT_FAILED')
    const old = await server.call(`GET /v2/platform/deployments/${made.id}`, { token })
    assert.equal(old.body.state, 'BUILD_ERROR')
  })

  test('a failure of our own says nothing of its inside', async () => {
    const { token } = await server.signUp()
    builder.next(() => Promise.reject(new Error('ENOENT /secret/place')))
    const made = await create(token)
    await server.runJobs()
    const failed = await read(token, made.id)
    assert.deepEqual([failed.readyState, failed.errorCode], ['ERROR', 'internal_error'])
    assert.ok(!JSON.stringify([failed, await events(token, made.id)]).includes('secret/place'))
  })

  test('a failure of our own says what kind of thing failed, and under what the operator finds the rest', async () => {
    const { token } = await server.signUp()
    const full = Object.assign(new Error('ENOSPC: no space left, write /data/builds'), { code: 'ENOSPC' })
    builder.next(() => Promise.reject(new Error('the source could not be written', { cause: full })))
    const made = await create(token)
    await server.runJobs()
    const { errorMessage } = await read(token, made.id)
    assert.match(errorMessage, /^The platform failed, not your code: its disk is full\./)
    const reference = /under the reference (\S+)\.$/.exec(errorMessage)?.[1]
    const { jobs } = (
      await server.call('GET /v1/operator/jobs/failed', { token: (await server.operator()).token })
    ).body
    const job = jobs.find(({ id }: { id: string }) => id === reference)
    assert.equal(
      job?.error,
      `deployment ${made.id}: the source could not be written: ENOSPC: no space left, write /data/builds`,
    )
  })

  test('deleting a deployment ends its build', async () => {
    const { token } = await server.signUp()
    const begun = Promise.withResolvers<void>()
    let ended: unknown
    builder.next(async ({ signal }) => {
      begun.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      ended = signal.reason
      throw signal.reason
    })
    const made = await create(token)
    const jobs = server.runJobs()
    await begun.promise
    await server.call(`DELETE /v2/platform/deployments/${made.id}`, { token })
    await jobs
    assert.ok(ended instanceof Error)
    assert.equal((await server.call(`GET /v8/platform/deployments/${made.id}`, { token })).status, 404)
  })

  test('a build that took longer does not take the name from a newer deployment', async () => {
    const { token } = await server.signUp()
    const slow = await create(token, { name: 'race' })
    server.clock.advance(1000)
    const quick = await create(token, {
      name: 'race',
      meta: { second: 'yes' },
      files: [{ file: 'index.html', data: 'newer' }],
    })
    assert.equal(quick.readyState, 'READY')
    builder.next(() => stored({ 'index.html': 'older' }))
    await server.runJobs()
    const late = await read(token, slow.id)
    assert.equal(late.readyState, 'READY')
    assert.equal((await server.visit(late.aliasFinal[0], '/')).body, 'newer')
    assert.equal((await server.visit(slow.url, '/')).body, 'older')
  })

  test('secrets reach the build by name, and the builder knows what to hide', async () => {
    const { token } = await server.signUp()
    await server.call('POST /v2/platform/secrets', { token, body: { name: 'key', value: 'hush-hush' } })
    builder.next(() => stored({ 'index.html': 'x' }))
    await create(token, { build: { env: { KEY: '@key', PLAIN: 'open' } } })
    await server.runJobs()
    const task = builder.tasks.at(-1)
    assert.deepEqual([task?.env.KEY, task?.env.PLAIN, task?.secrets], ['hush-hush', 'open', ['hush-hush']])
  })

  const legacy = async (token: string, more: Record<string, unknown> = {}) =>
    server.call('POST /v3/platform/deployments', {
      token,
      body: {
        name: `old-${++count}`,
        deploymentType: 'NPM',
        public: true,
        files: [{ file: 'package.json', data: JSON.stringify({ scripts: { start: 'node server.js' } }) }],
        ...more,
      },
    })
  const running = () =>
    stored({}, { programs: [COMMAND], functions: [{ path: 'index', program: COMMAND.id }] })

  test('an older deployment is started before it is READY, and its instances are told', async () => {
    const { token } = await server.signUp()
    builder.next(running)
    const states: string[] = []
    let id = ''
    boot = async () => {
      states.push((await server.call(`GET /v2/platform/deployments/${id}`, { token })).body.state)
      return { listening: true }
    }
    const made = await legacy(token, { registryAuthToken: 'npm-token' })
    id = made.body.deploymentId
    const { builds } = (await server.call(`GET /v5/platform/deployments/${id}/builds`, { token })).body
    assert.deepEqual([builds[0].use, builds[0].path], ['@aloft/node', 'package.json'])
    await server.runJobs()
    assert.deepEqual(states, ['BOOTED'])
    assert.equal(builder.tasks.at(-1)?.registryAuthToken, 'npm-token')
    assert.deepEqual(builder.tasks.at(-1)?.secrets, ['npm-token'])
    const stateOf = async () =>
      (await server.call(`GET /v2/platform/deployments/${id}`, { token })).body.state
    assert.equal(await stateOf(), 'FROZEN')
    const refused = await server.call(`POST /v1/platform/deployments/${id}/instances`, {
      token,
      body: { min: 1, max: 2 },
    })
    assert.deepEqual([refused.status, refused.body.error.code], [400, 'deployment_not_ready'])
    const instance = sampleInstance({ deploymentId: id })
    await server.parts.stores.instances.add(instance)
    assert.equal(await stateOf(), 'READY')
    const listed = await server.call(`GET /v1/platform/deployments/${id}/instances`, { token })
    const [label, ...domain] = made.body.url.split('.')
    assert.deepEqual(listed.body, {
      instances: [{ uid: instance.id, url: [`${label}-${instance.id}`, ...domain].join('.') }],
    })
    const scaled = await server.call(`POST /v1/platform/deployments/${id}/instances`, {
      token,
      body: { min: 1, max: 2 },
    })
    assert.equal(scaled.status, 200)
    const list = await server.call('GET /v2/platform/deployments', { token })
    assert.deepEqual(list.body.deployments[0].scale, { current: 1, min: 1, max: 2 })
  })

  test('an account keeps as many instances running as its plan allows, all deployments together', async () => {
    const { token } = await server.signUp()
    boot = async () => ({ listening: true })
    const scale = async (min: number) => {
      builder.next(running)
      const id = (await legacy(token, { name: `kept-${kept++}` })).body.deploymentId
      await server.runJobs()
      await server.parts.stores.instances.add(sampleInstance({ deploymentId: id }))
      const at = `POST /v1/platform/deployments/${id}/instances`
      return { at, answer: await server.call(at, { token, body: { min, max: 10 } }) }
    }
    let kept = 0
    for (const min of [10, 8]) assert.equal((await scale(min)).answer.status, 200)
    const { at, answer } = await scale(3)
    const { code, quota, limit, used, message } = answer.body.error
    assert.deepEqual(
      [answer.status, code, quota, limit, used],
      [403, 'quota_exceeded', 'keptInstances', 20, 18],
    )
    assert.match(message, /set `min` to 2 or less/)
    assert.equal((await server.call(at, { token, body: { min: 2, max: 10 } })).status, 200)
    // Its own are not counted twice.
    assert.equal((await server.call(at, { token, body: { min: 1, max: 10 } })).status, 200)
  })

  test('a build that waits says behind how many, and about when it begins', async () => {
    const { token } = await server.signUp()
    const [first, second, third] = [await create(token), await create(token), await create(token)]
    assert.equal(first.queue, undefined)
    const seen: { ahead: number }[] = []
    builder.next(async ({ deployment }) => {
      if (deployment.id === first.id)
        while ((await read(token, third.id)).queue === undefined) await new Promise(setImmediate)
      if (deployment.id !== third.id) seen.push((await read(token, third.id)).queue)
      return stored({ 'index.html': 'page' })
    })
    await server.runJobs()
    assert.equal(seen[0]?.ahead, 1)
    for (const { id } of [first, second, third]) {
      const ready = await read(token, id)
      assert.deepEqual([ready.readyState, ready.queue], ['READY', undefined])
    }
    const lines = (await events(token, third.id)).map(({ payload }) => payload.text)
    assert.match(lines[0] ?? '', /^Other builds are running; 1 build is ahead of this one[.,]/)
  })

  const cancel = (token: string, id: string) => server.call(`PATCH /v12/deployments/${id}/cancel`, { token })

  test('a build that waits can be cancelled, and is never begun', async () => {
    const { token } = await server.signUp()
    const made = await create(token)
    const begun = builder.tasks.length
    const { status, body } = await cancel(token, made.id)
    assert.deepEqual([status, body.id, body.readyState, body.errorCode], [200, made.id, 'ERROR', 'canceled'])
    assert.match(body.readyStateReason, /^Cancelled by \w+\.$/)
    // What published clients check, beside all that a deployment of ours has.
    const seen = { ...(await read(token, made.id)), aliasFinal: null }
    for (const [key, value] of Object.entries(seen)) assert.deepEqual(body[key], value, key)
    assert.deepEqual(
      [body.status, body.inspectorUrl, body.isInConcurrentBuildsQueue, body.projectSettings.nodeVersion],
      ['ERROR', `http://aloft.test/deployments/${made.id}`, false, '20.x'],
    )
    await server.runJobs()
    assert.equal(builder.tasks.length, begun)
    const lines = (await events(token, made.id)).map(({ payload }) => payload.text)
    assert.deepEqual(lines, [body.readyStateReason])
    const again = await cancel(token, made.id)
    assert.deepEqual([again.status, again.body.error.code], [409, 'conflict'])
    const { body: audit } = await server.call('GET /v1/audit-log', { token })
    assert.equal(audit.entries[0].action, 'PATCH /v12/deployments/:id/cancel')
  })

  test('a build that runs is stopped when it is cancelled, and nothing it does afterwards counts', async () => {
    const { token } = await server.signUp()
    const stranger = await server.signUp()
    builder.next(async ({ deployment, signal }, { began, ended }) => {
      const run = deployment.buildRuns[0]?.id ?? ''
      await began(run)
      assert.equal((await cancel(stranger.token, deployment.id)).status, 403)
      const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve))
      assert.equal((await cancel(token, deployment.id)).status, 200)
      await stopped
      await ended(run)
      return stored({ 'index.html': 'too late' })
    })
    const made = await create(token)
    await server.runJobs()
    const read1 = await read(token, made.id)
    assert.deepEqual([read1.readyState, read1.errorCode], ['ERROR', 'canceled'])
    assert.equal((await server.visit(made.aliasFinal[0], '/')).status, 404)
    const done = await server.call('GET /v1/operator/jobs/failed', { token: (await server.operator()).token })
    assert.ok(!JSON.stringify(done.body).includes(made.id))
  })

  test('what is finished cannot be cancelled', async () => {
    const { token } = await server.signUp()
    builder.next(() => stored({ 'index.html': 'page' }))
    const made = await create(token)
    await server.runJobs()
    const { status, body } = await cancel(token, made.id)
    assert.deepEqual([status, body.error.code], [409, 'conflict'])
    assert.equal((await read(token, made.id)).readyState, 'READY')
  })

  test('a redeployment has the same files, its own variables, and those of the project as they are today', async () => {
    const { token } = await server.signUp()
    builder.next(() => stored({ 'index.html': 'page' }))
    const secret = { name: 'hidden', value: '@hidden-value' }
    await server.call('POST /v2/platform/secrets', { token, body: secret })
    const env = { OWN: '@hidden', PLAIN: 'kept' }
    const first = await create(token, { env, build: { env: { COLOUR: 'red' } }, meta: { gitBranch: 'main' } })
    await server.runJobs()
    const at = `POST /v10/projects/${first.projectId}/env`
    const variable = { key: 'LATER', value: 'today', type: 'plain', target: ['preview', 'production'] }
    assert.equal((await server.call(at, { token, body: variable })).status, 201)
    await server.call(`PATCH /v9/projects/${first.projectId}`, {
      token,
      body: { buildCommand: 'make-other' },
    })

    const again = await server.call(`POST /v1/deployments/${first.id}/redeploy`, { token })
    assert.equal(again.status, 200)
    assert.notEqual(again.body.id, first.id)
    assert.deepEqual(again.body.meta, { gitBranch: 'main', redeployOf: first.id })
    assert.deepEqual(
      [again.body.env, again.body.build.env, again.body.projectId],
      [['OWN', 'PLAIN'], ['COLOUR'], first.projectId],
    )
    await server.runJobs()
    const [task] = builder.tasks.slice(-1)
    assert.equal(task?.deployment.id, again.body.id)
    assert.deepEqual([task?.env.COLOUR, task?.env.LATER], ['red', 'today'])
    assert.ok(task?.secrets.includes('@hidden-value'))
    assert.deepEqual(
      task?.files.map(({ path }) => path),
      ['package.json', 'source.txt'],
    )
    assert.equal((await read(token, again.body.id)).readyState, 'READY')

    const live = await server.call(`POST /v1/deployments/${first.id}/redeploy`, {
      token,
      body: { target: 'production', meta: { why: 'shown' } },
    })
    assert.deepEqual([live.body.target, live.body.meta.why], ['production', 'shown'])
    const back = await server.call(`POST /v1/deployments/${live.body.id}/redeploy`, {
      token,
      body: { target: 'preview' },
    })
    assert.equal(back.body.target, undefined)
    const stranger = await server.signUp()
    const denied = await server.call(`POST /v1/deployments/${first.id}/redeploy`, { token: stranger.token })
    assert.equal(denied.status, 403)
    await server.runJobs()
  })

  const limit = async (email: string, body: Record<string, number>) => {
    const account = await server.parts.stores.users.byEmail(email)
    await server.parts.quotaSettings.changeAccount(account?.id ?? '', body)
    return account?.id ?? ''
  }

  test('the time of builds is counted, and none is taken after it is used up', async () => {
    const { token, email } = await server.signUp()
    const id = await limit(email, { buildMinutes: 3 })
    const used = () => server.parts.quotas.used(id, 'buildMinutes')
    builder.next(async () => {
      server.clock.advance(2.5 * 60_000)
      return stored({ 'index.html': 'slow' })
    })
    const first = await create(token)
    const second = await create(token)
    assert.equal(second.readyState, 'INITIALIZING')
    await server.runJobs()
    assert.equal((await read(token, first.id)).readyState, 'READY')
    assert.equal(Math.floor(await used()), 5)
    const third = await server.call('POST /v8/platform/deployments', {
      token,
      body: { version: 2, name: 'third', files: [{ file: 'package.json', data: PACKAGE }] },
    })
    assert.deepEqual([third.status, third.body.error.quota], [403, 'buildMinutes'])
  })

  test('a build that has to wait finds the time of its account used up', async () => {
    const { token, email } = await server.signUp()
    const id = await limit(email, { buildMinutes: 3 })
    const made = await create(token)
    const period = new Date(server.clock.now()).toISOString().slice(0, 7)
    await server.parts.stores.usage.add([{ ownerId: id, what: 'buildMs', period, amount: 180_000 }])
    await server.runJobs()
    const failed = await read(token, made.id)
    assert.deepEqual([failed.readyState, failed.errorCode], ['ERROR', 'quota_exceeded'])
    assert.match(failed.errorMessage, /allows 3 min of build time a month, and 3 min are used/)
  })

  test('what was built has to fit into what the account may store', async () => {
    const { token, email } = await server.signUp()
    const id = await limit(email, { contentBytes: 200 })
    builder.next(() => stored({ 'index.html': 'x'.repeat(300) }))
    const made = await create(token)
    await server.runJobs()
    const failed = await read(token, made.id)
    assert.deepEqual([failed.readyState, failed.errorCode], ['ERROR', 'quota_exceeded'])
    assert.match(failed.errorMessage, /^The build output takes 300 B\. Your plan allows 200 B/)
    assert.ok((await server.parts.quotas.used(id, 'contentBytes')) < 200, 'nothing of it was kept')
  })

  test('and is counted with what others have stored since it was compared with the room', async () => {
    const { token, email } = await server.signUp()
    const id = await limit(email, { contentBytes: 600 })
    const other = { sha1: 'b'.repeat(40), sha256: 'b'.repeat(64), size: 300 }
    builder.next(async () => {
      // Another build of the account ends after this one has looked how much room there is.
      const originals = server.allParts.map(({ stores: { files } }) => ({ files, claim: files.claim }))
      for (const { files, claim } of originals)
        Object.assign(files, {
          async claim(...given: Parameters<typeof claim>) {
            for (const original of originals) Object.assign(original.files, { claim: original.claim })
            const found = await claim(...given)
            await files.add(id, [other], server.clock.now())
            return found
          },
        })
      return stored({ 'index.html': 'y'.repeat(300) })
    })
    const made = await create(token)
    await server.runJobs()
    const failed = await read(token, made.id)
    assert.deepEqual([failed.readyState, failed.errorCode], ['ERROR', 'quota_exceeded'])
    assert.match(failed.errorMessage, /^Your plan allows 600 B of storage/)
    assert.ok((await server.parts.quotas.used(id, 'contentBytes')) <= 600)
  })

  for (const [code, state, line] of [
    [0, 'READY', 'The program exited with code 0.'],
    [3, 'ERROR', 'Error: The program exited with code 3.'],
  ] as const)
    test(`a task that exits with ${code} ends ${state}`, async () => {
      const { token } = await server.signUp()
      builder.next(running)
      boot = async () => ({ finished: code })
      const { deploymentId } = (await legacy(token)).body
      await server.runJobs()
      assert.equal((await read(token, deploymentId)).readyState, state)
      const texts = (await events(token, deploymentId)).map(({ payload }) => payload.text)
      assert.ok(texts.includes(line), texts.join('\n'))
    })

  test('a program that cannot be started is an error of the deployment, not of its build', async () => {
    const { token } = await server.signUp()
    builder.next(running)
    boot = () => Promise.reject(new RunnerError('crashed', 'Cannot find module ./x'))
    const { deploymentId } = (await legacy(token)).body
    await server.runJobs()
    const failed = await read(token, deploymentId)
    assert.deepEqual([failed.errorCode, failed.errorMessage], ['start_failed', 'Cannot find module ./x'])
    const old = await server.call(`GET /v2/platform/deployments/${deploymentId}`, { token })
    assert.equal(old.body.state, 'DEPLOYMENT_ERROR')
  })
}
