import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiSuite } from '#test/support/api-suite.ts'
import { beginDomains, type DomainOwner } from '#test/support/dns/project-domains.ts'
import { sampleDomain } from '#test/support/samples.ts'
import { outputOf, ScriptedBuilder } from '#test/support/scripted-builder.ts'

const builder = new ScriptedBuilder()

apiSuite('visitors of the domains of projects', suite, { workers: { builder } })

function suite(server: Parameters<Parameters<typeof apiSuite>[1]>[0]): void {
  const begin = () => beginDomains(server)

  /** A deployment that is being built, until the test says that it is done. */
  async function deployBuilt(owner: DomainOwner, text: string, target?: 'production', more: object = {}) {
    await server.parts.blobs.putBytes(Buffer.from(text))
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    builder.next(async () => {
      await mayEnd
      return outputOf({ 'index.html': text })
    })
    const files = [{ file: 'package.json', data: JSON.stringify({ scripts: { build: text } }) }]
    const deployment = await owner.deploy('', target, { files, ...more })
    const finish = () => {
      end()
      return server.runJobs()
    }
    return { deployment, finish }
  }

  const aliasOf = async ({ call }: DomainOwner, id: string) =>
    (await call(`GET /v8/platform/deployments/${id}`)).body.alias

  test('a domain shows production at once, and every production after it', async () => {
    const owner = await begin()
    const { apex, name, add, deploy, shown, call } = owner
    await add(`early.${apex}`)
    assert.equal(await shown(`early.${apex}`), 404)
    await deploy('preview')
    assert.equal(await shown(`early.${apex}`), 404)
    const first = await deploy('first', 'production')
    assert.ok(first.aliasFinal.includes(`early.${apex}`))
    assert.deepEqual(await aliasOf(owner, first.id), first.aliasFinal)
    assert.equal(await shown(`early.${apex}`), 'first')
    await add(apex)
    assert.equal(await shown(apex), 'first')
    await deploy('preview again')
    await deploy('staged', 'staging')
    assert.equal(await shown(apex), 'first')
    const second = await deploy('second', 'production')
    assert.deepEqual(second.aliasFinal.slice(2).sort(), [apex, `early.${apex}`].sort())
    for (const host of [apex, `early.${apex}`, `${name}.localhost`]) assert.equal(await shown(host), 'second')

    // A deployment that was told its aliases takes those instead.
    const told = await deploy('told', 'production', { alias: `told-${name}` })
    assert.deepEqual(told.aliasFinal.slice(1), [`told-${name}.localhost`])
    assert.equal(await shown(apex), 'second')

    // An alias can be deleted; the next production deployment brings it back.
    assert.equal((await call(`DELETE /v2/platform/aliases/${apex}`)).status, 200)
    assert.equal(await shown(apex), 404)
    await deploy('third', 'production')
    assert.equal(await shown(apex), 'third')
    await call(`DELETE /v9/projects/${name}/domains/${apex}`)
    assert.equal(await shown(apex), 404)
    const last = await deploy('fourth', 'production')
    assert.equal(await shown(apex), 404)
    assert.ok(!last.aliasFinal.includes(apex))
    await call(`POST /v10/projects/${name}/promote/${second.id}`)
    assert.deepEqual([await shown(apex), await shown(`early.${apex}`)], [404, 'second'])
  })

  test('an alias that the account has is adopted', async () => {
    const { name, add, deploy, shown, call } = await begin()
    const preview = await deploy('preview')
    const host = `adopted-${name}.localhost`
    const { body: alias } = await call(`POST /v2/platform/deployments/${preview.id}/aliases`, { alias: host })
    await deploy('live', 'production')
    assert.equal(await shown(host), 'preview')
    assert.equal((await add(host)).status, 200)
    assert.equal(await shown(host), 'live')
    const { body } = await call('GET /v2/platform/aliases')
    const kept = body.aliases.find((row: { alias: string }) => row.alias === host)
    assert.equal(kept.uid, alias.uid)
  })

  test('an alias that is adopted shows what it did until there is a production', async () => {
    const { name, add, patch, deploy, shown, call } = await begin()
    const preview = await deploy('preview')
    const host = `adopted-${name}.localhost`
    await call(`POST /v2/platform/deployments/${preview.id}/aliases`, { alias: host })
    assert.equal((await add(host)).status, 200)
    assert.equal(await shown(host), 'preview')
    await deploy('live', 'production')
    assert.equal(await shown(host), 'live')
    // A change of something else moves nothing.
    await call(`POST /v2/platform/deployments/${preview.id}/aliases`, { alias: host })
    await patch(host, {})
    assert.equal(await shown(host), 'preview')
    await patch(host, { gitBranch: 'none' })
    assert.equal(await shown(host), 404)
    await patch(host, { gitBranch: null })
    assert.equal(await shown(host), 'live')
  })

  test('a domain of a branch goes back to the preview before, when its own is deleted', async () => {
    const { apex, add, deploy, shown, call } = await begin()
    await add(apex, { gitBranch: 'dev' })
    const made: { id: string }[] = []
    for (const [text, gitBranch] of Object.entries({ first: 'dev', second: 'dev', other: 'main' }))
      made.push(await deploy(text, undefined, { meta: { gitBranch } }))
    assert.equal(await shown(apex), 'second')
    const shows = ['first', 404]
    for (const { id } of [made[1], made[0]] as { id: string }[]) {
      assert.equal((await call(`DELETE /v8/platform/deployments/${id}`)).status, 200)
      assert.equal(await shown(apex), shows.shift())
    }
  })

  test('promotion, rollback and pause move domains with the other names', async () => {
    const { apex, name, add, deploy, shown, call } = await begin()
    const hosts = [`${name}.localhost`, apex, `www.${apex}`]
    const all = async () => [...new Set(await Promise.all(hosts.map(shown)))]
    const first = await deploy('first', 'production')
    await add(apex)
    const second = await deploy('second', 'production')
    await add(`www.${apex}`)
    assert.deepEqual(await all(), ['second'])
    assert.equal((await call(`POST /v9/projects/${name}/rollback/${first.id}`)).status, 201)
    assert.deepEqual(await all(), ['first'])
    const third = await deploy('third', 'production')
    assert.deepEqual(third.aliasFinal.includes(apex), false)
    assert.deepEqual(await all(), ['first'])
    await add(`late.${apex}`)
    assert.equal(await shown(`late.${apex}`), 'first')
    hosts.push(`late.${apex}`)
    await call(`POST /v10/projects/${name}/promote/${third.id}`)
    assert.deepEqual(await all(), ['third'])
    const moved = await call(`GET /v1/projects/${name}/promote/aliases`)
    assert.deepEqual(moved.body.aliases.map(({ alias }: { alias: string }) => alias).sort(), hosts.toSorted())

    await call(`POST /v1/projects/${name}/pause`)
    assert.deepEqual(await all(), [503])
    await add(`paused.${apex}`)
    hosts.push(`paused.${apex}`)
    assert.deepEqual(await all(), [503])
    const waiting = await deploy('waiting', 'production')
    await call(`POST /v1/projects/${name}/unpause`)
    assert.deepEqual(await all(), ['waiting'])
    assert.ok((await call(`GET /v8/platform/deployments/${waiting.id}`)).body.alias.includes(apex))

    await call(`PATCH /v9/projects/${name}`, { autoAssignCustomDomains: false })
    const unassigned = await deploy('unassigned', 'production')
    assert.ok(!unassigned.aliasFinal.includes(apex))
    assert.deepEqual([await shown(`${name}.localhost`), await shown(apex)], ['unassigned', 'waiting'])
    await add(`manual.${apex}`)
    assert.equal(await shown(`manual.${apex}`), 'waiting')
    hosts.push(`manual.${apex}`)
    await call(`POST /v10/projects/${name}/promote/${second.id}`)
    assert.deepEqual(await all(), ['second'])
  })

  test('a domain of a branch shows its newest preview', async () => {
    const owner = await begin()
    const { apex, add, patch, deploy, shown } = owner
    const on = (branch: string, key = 'gitBranch') => ({ meta: { [key]: branch } })
    await deploy('live', 'production')
    await deploy('next 1', undefined, on('next'))
    await deploy('other', undefined, on('other', 'githubCommitRef'))
    await add(`next.${apex}`, { gitBranch: 'next' })
    assert.equal(await shown(`next.${apex}`), 'next 1')
    const second = await deploy('next 2', undefined, on('next', 'gitlabCommitRef'))
    assert.ok(second.aliasFinal.includes(`next.${apex}`))
    assert.equal(await shown(`next.${apex}`), 'next 2')
    await deploy('live of next', 'production', on('next'))
    await deploy('another', undefined, on('another'))
    assert.equal(await shown(`next.${apex}`), 'next 2')
    const visit = await server.visit(`next.${apex}`, '/')
    assert.equal(visit.headers.get('x-robots-tag'), 'noindex')
    await patch(`next.${apex}`, { gitBranch: 'other' })
    assert.equal(await shown(`next.${apex}`), 'other')
    await patch(`next.${apex}`, { gitBranch: 'empty' })
    assert.equal(await shown(`next.${apex}`), 404)
    await patch(`next.${apex}`, { gitBranch: null })
    assert.equal(await shown(`next.${apex}`), 'live of next')
    await patch(`next.${apex}`, { customEnvironmentId: 'env_1' })
    assert.equal(await shown(`next.${apex}`), 404)
    await deploy('live again', 'production', on('next'))
    assert.equal(await shown(`next.${apex}`), 404)
    await patch(`next.${apex}`, { customEnvironmentId: null, gitBranch: 'next' })
    assert.equal(await shown(`next.${apex}`), 'next 2')
    const third = await deployBuilt(owner, 'next 3', undefined, on('next'))
    await third.finish()
    assert.equal(await shown(`next.${apex}`), 'next 3')
  })

  test('a domain that redirects sends visitors on, as soon as it is told to', async () => {
    const { apex, name, add, patch, deploy, shown } = await begin()
    await deploy('live', 'production')
    await add(apex)
    await add(`www.${apex}`)
    assert.equal(await shown(`www.${apex}`), 'live')
    await patch(`www.${apex}`, { redirect: apex })
    const sent = await server.visit(`www.${apex}`, '/some/path?a=b&c')
    assert.deepEqual([sent.status, sent.headers.get('location')], [307, `http://${apex}/some/path?a=b&c`])
    await patch(`www.${apex}`, { redirectStatusCode: 308 })
    assert.equal((await server.visit(`www.${apex}`, '/')).status, 308)
    await deploy('next', 'production')
    assert.deepEqual([await shown(`www.${apex}`), await shown(apex)], [308, 'next'])
    await patch(`www.${apex}`, { redirect: null })
    assert.equal(await shown(`www.${apex}`), 'next')
    assert.equal((await add(`to-${name}.localhost`, { redirect: apex })).status, 200)
    assert.equal(await shown(`to-${name}.localhost`), 307)
  })

  test('what is built takes the domains that are there when it is done, and none that is newer', async () => {
    const owner = await begin()
    const { apex, name, add, deploy, shown, call } = owner
    await add(`gone.${apex}`)
    const { deployment: building, finish } = await deployBuilt(owner, 'built', 'production')
    assert.ok(building.aliasFinal.includes(`gone.${apex}`))
    await call(`DELETE /v9/projects/${name}/domains/gone.${apex}`)
    await add(`come.${apex}`)
    await finish()
    assert.deepEqual([await shown(`gone.${apex}`), await shown(`come.${apex}`)], [404, 'built'])
    assert.deepEqual((await aliasOf(owner, building.id)).slice(1), [`${name}.localhost`, `come.${apex}`])

    const slow = await deployBuilt(owner, 'slow', 'production')
    await deploy('fast', 'production')
    await call(`DELETE /v2/platform/aliases/come.${apex}`)
    await slow.finish()
    assert.equal(await shown(slow.deployment.url), 'slow')
    // Not even a name that is free, because the others show what is newer.
    assert.deepEqual([await shown(`${name}.localhost`), await shown(`come.${apex}`)], ['fast', 404])
  })

  test('visitors see one or the other, and the same on all domains, while production moves', async () => {
    const { apex, name, add, deploy, shown, call } = await begin()
    const deployments = [await deploy('one', 'production'), await deploy('two', 'production')]
    const hosts = [`${name}.localhost`, apex, `a.${apex}`, `b.${apex}`]
    for (const host of hosts.slice(1)) await add(host)
    const seen = new Set<string | number>()
    let isDone = false
    const visitors = hosts.map(async (host) => {
      while (!isDone) seen.add(await shown(host))
    })
    for (let i = 0; i < 20; i++) {
      const [verb, status] = i % 4 === 3 ? ['v9/projects/:/rollback', 201] : ['v10/projects/:/promote', 202]
      const to = `/${String(verb).replace(':', name)}/${deployments[i % 2].id}`
      assert.equal((await call(`POST ${to}`)).status, status)
      const now = new Set(await Promise.all(hosts.map(shown)))
      assert.deepEqual([...now], [i % 2 === 0 ? 'one' : 'two'])
    }
    isDone = true
    await Promise.all(visitors)
    assert.deepEqual([...seen].sort(), ['one', 'two'])
  })

  test('a project that is deleted while it is visited is gone for everybody, and nothing breaks', async () => {
    const { apex, name, add, deploy, shown, call } = await begin()
    const { url } = await deploy('live', 'production')
    await add(apex)
    const seen = new Set<string | number>()
    let isDone = false
    const visitors = [apex, url].map(async (host) => {
      while (!isDone) seen.add(await shown(host))
    })
    assert.equal((await call(`DELETE /v9/projects/${name}`)).status, 204)
    isDone = true
    await Promise.all(visitors)
    assert.deepEqual(
      [...seen].filter((what) => !['live', 404, 410].includes(what)),
      [],
    )
    assert.deepEqual([await shown(apex), await shown(url)], [404, 410])
    const other = await begin()
    assert.equal((await other.add(apex)).body.verified, true)
  })

  test('deployments, promotions and aliases that want a domain at once all come out well', async () => {
    const { apex, name, id, add, deploy, shown, call } = await begin()
    await server.parts.stores.domains.add(sampleDomain({ ownerId: id, name: apex, txtVerifiedAt: 1 }))
    const first = await deploy('first', 'production')
    await add(apex)
    const answers = await Promise.all([
      deploy('second', 'production'),
      deploy('third', 'production'),
      call(`POST /v10/projects/${name}/promote/${first.id}`),
      call(`POST /v2/platform/deployments/${first.id}/aliases`, { alias: apex }),
      call(`DELETE /v2/platform/aliases/${apex}`),
    ])
    for (const { status } of answers.slice(2)) assert.ok([200, 202, 404, 409].includes(status), `${status}`)
    await deploy('last', 'production')
    assert.deepEqual([await shown(apex), await shown(`${name}.localhost`)], ['last', 'last'])
  })

  test('of all who add a name at once, one has it', async () => {
    const owners = [await begin(), await begin(), await begin()]
    const apex = owners[0]?.apex ?? ''
    const both = [owners[0], owners[0], ...owners.slice(1), ...owners.slice(1)] as DomainOwner[]
    const answers = await Promise.all(both.map((owner) => owner.add(apex)))
    assert.deepEqual(
      answers.map(({ status }) => status).sort(),
      [200, 200, 200, 400, 400, 400],
      JSON.stringify(answers.map(({ body }) => body)),
    )
    const added = answers.filter(({ status }) => status === 200).map(({ body }) => body)
    assert.equal(added.filter(({ verified }) => verified).length, 1)
    assert.equal(added.filter(({ verification }) => verification !== undefined).length, 2)

    // And in two projects of one account there is one.
    const twin = await beginDomains(server, { account: owners[1] as DomainOwner })
    const host = `twin-${apex}`
    const twins = await Promise.all([(owners[1] as DomainOwner).add(host), twin.add(host)])
    assert.deepEqual(twins.map(({ status }) => status).sort(), [200, 409])
  })

  test('two who change domains at once leave nothing that contradicts itself', async () => {
    const { apex, name, add, patch, call } = await begin()
    await add(apex)
    await add(`www.${apex}`)
    const [there, back] = await Promise.all([
      patch(apex, { redirect: `www.${apex}` }),
      patch(`www.${apex}`, { redirect: apex }),
    ])
    assert.deepEqual([there?.status, back?.status].sort(), [200, 400])
    await patch(apex, { redirect: null })
    await patch(`www.${apex}`, { redirect: null })
    await Promise.all([
      patch(apex, { gitBranch: 'next' }),
      patch(apex, { redirect: `www.${apex}` }),
      call(`DELETE /v9/projects/${name}/domains/www.${apex}`),
    ])
    const { body } = await call(`GET /v9/projects/${name}/domains/${apex}`)
    assert.ok(body.gitBranch === null || body.redirect === null)
    const target = await call(`GET /v9/projects/${name}/domains/www.${apex}`)
    assert.equal(body.redirect !== null && target.status === 404, false)
  })
}
