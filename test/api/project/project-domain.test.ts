import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { DAY } from '#contract/time.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { startDnsServer } from '#test/support/dns/dns-server.ts'
import { beginDomains } from '#test/support/dns/project-domains.ts'
import { assertGolden } from '#test/support/golden.ts'
import { sampleDomain } from '#test/support/samples.ts'
import type { Answer } from '#test/support/server.ts'

/** TXT records by their host; a null stands for a server that does not answer for the zone. */
const records = new Map<string, readonly string[] | null>()
const dns = await startDnsServer(({ name, type }) => {
  const found = records.get(name.toLowerCase())
  if (found === null) return { rcode: 'SERVFAIL' }
  if (!found || type !== 'TXT') return { rcode: 'NXDOMAIN' }
  return { answers: found.map((data) => ({ type: 'TXT', name, ttl: 1, data })) }
})
after(() => dns.close())

const outcome = ({ status, body }: Answer) => [status, body.error?.code]

apiSuite('domains of projects', suite, { env: { ALOFT_RESOLVERS: dns.address } })

function suite(server: Parameters<Parameters<typeof apiSuite>[1]>[0]): void {
  const begin = (given?: Parameters<typeof beginDomains>[1]) => beginDomains(server, given)

  test('what a domain needs in DNS is told, and to nobody else', async () => {
    const { name, apex, add, call } = await begin()
    await add(`www.${apex}`)
    const inspect = `GET /v1/projects/${name}/domains/www.${apex}/inspect`
    const told = await call(inspect)
    assert.equal(told.status, 200)
    assert.deepEqual([told.body.verified, told.body.ready], [true, false])
    assert.deepEqual(told.body.records, [
      { type: 'CNAME', host: `www.${apex}`, value: told.body.checks[0].expected[0].split(' ')[1] },
    ])
    assert.equal(told.body.nextStep, told.body.checks[0].advice)
    assert.deepEqual(outcome(await call(`GET /v1/projects/${name}/domains/${apex}/inspect`)), [
      404,
      'not_found',
    ])
    const stranger = await begin()
    assert.deepEqual(outcome(await stranger.call(inspect)), [404, 'not_found'])
  })

  test('a domain is added, read, changed and removed', async () => {
    const { name, apex, add, call, patch } = await begin()
    const added = await add(apex)
    assert.equal(added.status, 200)
    const { name: _name, apexName: _apex, ...shape } = added.body
    assertGolden('project/domain', shape)
    assert.deepEqual([added.body.name, added.body.apexName], [apex, apex])
    const www = await call(`POST /v9/projects/${name}/domains`, {
      name: `WWW.${apex}.`,
      redirect: apex.toUpperCase(),
      redirectStatusCode: 308,
    })
    assert.deepEqual(
      [www.status, www.body.name, www.body.apexName, www.body.redirect, www.body.redirectStatusCode],
      [200, `www.${apex}`, apex, apex, 308],
    )
    const read = await call(`GET /v9/projects/${added.body.projectId}/domains/Www.${apex}`)
    assert.deepEqual(read.body, www.body)
    const changed = await patch(`www.${apex}`, { redirectStatusCode: 301 })
    assert.deepEqual([changed.status, changed.body.redirectStatusCode], [200, 301])
    assert.ok(changed.body.updatedAt > www.body.updatedAt)
    const cleared = await patch(`www.${apex}`, { redirect: null })
    assert.deepEqual([cleared.body.redirect, cleared.body.redirectStatusCode], [null, null])
    const byDefault = await patch(`www.${apex}`, { redirect: apex })
    assert.equal(byDefault.body.redirectStatusCode, 307)
    const branch = await patch(`www.${apex}`, { redirect: null, gitBranch: 'next' })
    assert.deepEqual([branch.body.gitBranch, branch.body.redirect], ['next', null])
    const custom = await patch(`www.${apex}`, { gitBranch: null, customEnvironmentId: 'env_1' })
    assert.deepEqual([custom.body.gitBranch, custom.body.customEnvironmentId], [null, 'env_1'])
    assert.deepEqual((await call(`GET /v9/projects/${name}/domains/www.${apex}`)).body, custom.body)
    const removed = await call(`DELETE /v9/projects/${name}/domains/www.${apex}`)
    assert.deepEqual([removed.status, removed.body], [200, {}])
    for (const on of ['GET', 'PATCH', 'DELETE'])
      assert.deepEqual(
        outcome(
          await call(`${on} /v9/projects/${name}/domains/www.${apex}`, on === 'PATCH' ? {} : undefined),
        ),
        [404, 'not_found'],
        on,
      )
    assert.deepEqual(outcome(await call(`POST /v9/projects/${name}/domains/www.${apex}/verify`)), [
      400,
      'domain_not_assigned',
    ])
    for (const [on, body] of [
      ['POST /v10/projects/none/domains', { name: `b.${apex}` }],
      ['GET /v9/projects/none/domains', undefined],
      [`GET /v9/projects/none/domains/${apex}`, undefined],
      [`PATCH /v9/projects/none/domains/${apex}`, {}],
      [`DELETE /v9/projects/none/domains/${apex}`, undefined],
      [`POST /v9/projects/none/domains/${apex}/verify`, undefined],
    ] as const)
      assert.deepEqual(outcome(await call(on, body)), [404, 'not_found'], on)
    assert.deepEqual(outcome(await server.call(`GET /v9/projects/${name}/domains`)), [401, 'forbidden'])
  })

  test('what is no domain, or the platform’s own, is refused', async () => {
    const { add, name, call, deploy } = await begin()
    const { aliasFinal, url } = await deploy('x')
    for (const [text, ...expected] of [
      ['', 400, 'bad_request'],
      ['no spaces.com', 400, 'invalid_domain'],
      ['a..com', 400, 'invalid_domain'],
      ['-a.com', 400, 'invalid_domain'],
      ['a_b.com', 400, 'invalid_domain'],
      ['*.example.com', 400, 'invalid_domain'],
      ['https://example.com', 400, 'invalid_domain'],
      ['example.com/path', 400, 'invalid_domain'],
      ['example.com:80', 400, 'invalid_domain'],
      ['127.0.0.1', 400, 'invalid_domain'],
      ['com', 400, 'invalid_domain'],
      ['co.uk', 400, 'invalid_domain'],
      ['github.io', 400, 'invalid_domain'],
      ['localhost', 400, 'invalid_domain'],
      [`${'a'.repeat(64)}.com`, 400, 'invalid_domain'],
      [`${'a.'.repeat(200)}com`, 400, 'bad_request'],
      ['www.localhost', 409, 'conflict'],
      ['API.localhost', 409, 'conflict'],
      ['api-iad1.localhost', 409, 'conflict'],
      ['ns1.localhost', 409, 'conflict'],
      ['a.b.localhost', 409, 'conflict'],
      ['shop-abc123def.localhost', 409, 'conflict'],
      ['aloft.test', 409, 'conflict'],
      [url, 409, 'conflict'],
      [aliasFinal[0], 409, 'conflict'],
    ] as const)
      assert.deepEqual(outcome(await add(text)), expected, text)
    for (const [text, stored, apexName] of [
      [`Bücher-${name}.de`, undefined, undefined],
      [`${name}.github.io`, `${name}.github.io`, `${name}.github.io`],
      [`a.b.${name}.co.uk`, `a.b.${name}.co.uk`, `${name}.co.uk`],
      [`free-${name}.localhost`, `free-${name}.localhost`, `free-${name}.localhost`],
    ] as const) {
      const { status, body } = await add(text)
      assert.equal(status, 200, text)
      if (stored) assert.deepEqual([body.name, body.apexName], [stored, apexName])
      else assert.match(body.name, /^xn--[a-z0-9-]+\.de$/)
    }
    const idn = await call(`GET /v9/projects/${name}/domains/${encodeURIComponent(`BÜCHER-${name}.de`)}`)
    assert.equal(idn.status, 200)
  })

  test('settings that contradict each other or lead nowhere are refused', async () => {
    const { name, apex, add, patch, call } = await begin()
    await call(`PATCH /v9/projects/${name}`, {})
    const linked = await call('POST /v10/projects', {
      name: `${name}-linked`,
      gitRepository: { type: 'github', repo: 'a/b' },
    })
    assert.equal(linked.status, 200)
    await add(apex)
    for (const [settings, ...expected] of [
      [{ gitBranch: 'next', redirect: apex }, 400, 'bad_request'],
      [{ redirectStatusCode: 301 }, 400, 'bad_request'],
      [{ redirect: apex, redirectStatusCode: 303 }, 400, 'bad_request'],
      [{ redirect: `www.${apex}` }, 400, 'invalid_redirect'],
      [{ redirect: `other.${apex}` }, 400, 'invalid_redirect'],
      [{ redirect: 'https://elsewhere.com' }, 400, 'invalid_redirect'],
      [{ redirect: '' }, 400, 'bad_request'],
      [{ gitBranch: '' }, 400, 'bad_request'],
      [{ gitBranch: 'a'.repeat(251) }, 400, 'bad_request'],
      [{ gitBranch: 7 }, 400, 'bad_request'],
      [{ unknown: 1 }, 400, 'bad_request'],
    ] as const)
      assert.deepEqual(outcome(await add(`www.${apex}`, settings)), expected, JSON.stringify(settings))
    const asText = await add(`www.${apex}`, { redirect: apex, redirectStatusCode: '301' })
    assert.match(asText.body.error.message, /should be one of 301, 302, 307, 308/)
    const onLinked = await call(`POST /v10/projects/${name}-linked/domains`, {
      name: `www.${apex}`,
      gitBranch: 'main',
    })
    assert.deepEqual(outcome(onLinked), [400, 'bad_request'])
    assert.equal((await add(`main.${apex}`, { gitBranch: 'main' })).status, 200)
    await call(`PATCH /v9/projects/${name}`, { productionBranch: 'trunk' })
    const ofTrunk = await add(`trunk.${apex}`, { gitBranch: 'trunk' })
    assert.deepEqual(outcome(ofTrunk), [400, 'bad_request'])

    await add(`b.${apex}`, { redirect: apex })
    await add(`c.${apex}`, { redirect: `b.${apex}` })
    for (const [domain, settings, ...expected] of [
      [apex, { redirect: apex }, 400, 'invalid_redirect'],
      [apex, { redirect: `b.${apex}` }, 400, 'invalid_redirect'],
      [apex, { redirect: `c.${apex}` }, 400, 'invalid_redirect'],
      [`b.${apex}`, { redirect: `c.${apex}` }, 400, 'invalid_redirect'],
      [`b.${apex}`, { gitBranch: 'next' }, 400, 'bad_request'],
      [apex, { redirectStatusCode: 308 }, 400, 'bad_request'],
      [apex, { name: 'x.com' }, 400, 'bad_request'],
    ] as const)
      assert.deepEqual(outcome(await patch(domain, settings)), expected, JSON.stringify(settings))
    const target = await call(`DELETE /v9/projects/${name}/domains/${apex}`)
    assert.deepEqual(outcome(target), [409, 'conflict'])
    await call(`DELETE /v9/projects/${name}/domains/c.${apex}`)
    await call(`DELETE /v9/projects/${name}/domains/b.${apex}`)
    assert.equal((await call(`DELETE /v9/projects/${name}/domains/${apex}`)).status, 200)
  })

  test('a name is in one project of an account, and in one account of a person', async () => {
    const mine = await begin()
    const { body: team } = await mine.call('POST /v1/teams', { slug: `t-${mine.name}` })
    const [other, ours] = [
      await begin({ account: mine }),
      await begin({ account: mine, query: `?teamId=${team.id}` }),
    ]
    const { body: held } = await mine.add(mine.apex)
    assert.deepEqual(outcome(await mine.add(mine.apex)), [400, 'domain_already_in_use'])
    const elsewhere = await other.add(mine.apex)
    assert.deepEqual(outcome(elsewhere), [409, 'domain_already_in_use'])
    const { projectId, domain } = elsewhere.body.error
    assert.deepEqual([projectId, domain], [held.projectId, { name: mine.apex, projectId: held.projectId }])
    assert.deepEqual(outcome(await ours.add(mine.apex)), [409, 'domain_already_exists'])
    assert.equal((await ours.add(ours.apex)).body.verified, true)
    assert.deepEqual(outcome(await mine.add(ours.apex)), [409, 'domain_already_exists'])
    // Names of the platform are in one place too.
    await other.deploy('x', 'production')
    assert.deepEqual(outcome(await mine.add(`${other.name}.localhost`)), [409, 'domain_already_in_use'])
    assert.equal((await other.add(`${other.name}.localhost`)).body.verified, true)
    const stranger = await begin()
    assert.deepEqual(outcome(await stranger.add(`${other.name}.localhost`)), [409, 'conflict'])
    await mine.add(`kept-${mine.name}.localhost`)
    assert.deepEqual(outcome(await stranger.add(`kept-${mine.name}.localhost`)), [409, 'conflict'])
    const { id } = await stranger.deploy('theirs')
    const alias = await stranger.call(`POST /v2/platform/deployments/${id}/aliases`, {
      alias: `kept-${mine.name}.localhost`,
    })
    assert.deepEqual(outcome(alias), [403, 'alias_in_use'])
  })

  test('what another account has is taken over with a TXT record', async () => {
    const [holder, taker, third] = [await begin(), await begin(), await begin()]
    const { apex } = holder
    await holder.deploy('theirs', 'production')
    await taker.deploy('mine', 'production')
    await holder.add(apex)
    await holder.add(`www.${apex}`, { redirect: apex })
    assert.equal(await holder.shown(apex), 'theirs')
    const { status, body: waiting } = await taker.add(apex)
    assert.deepEqual([status, waiting.verified], [200, false])
    const [challenge] = waiting.verification
    assert.deepEqual(
      [challenge.type, challenge.domain, challenge.reason, waiting.verification.length],
      ['TXT', `_platform.${apex}`, 'pending_domain_verification', 1],
    )
    assert.match(challenge.value, new RegExp(`^platform-domain-verify=${apex},[0-9a-f]{20}$`))
    const { body: other } = await third.add(apex)
    assert.notEqual(other.verification[0].value, challenge.value)
    assert.equal(await taker.shown(apex), 'theirs')

    const verify = () => taker.call(`POST /v9/projects/${taker.name}/domains/${apex}/verify`)
    assert.deepEqual(outcome(await verify()), [400, 'missing_txt_record'])
    records.set(`_platform.${apex}`, null)
    assert.deepEqual(outcome(await verify()), [503, 'service_unavailable'])
    records.set(`_platform.${apex}`, ['v=spf1', `platform-domain-verify=www.${apex},0`])
    assert.deepEqual(outcome(await verify()), [400, 'missing_txt_record'])
    records.set(`_platform.${apex}`, [other.verification[0].value])
    assert.deepEqual(outcome(await verify()), [400, 'existing_txt_record'])
    assert.equal(await taker.shown(apex), 'theirs')
    // What other platforms are shown there is nothing to us, but our own challenge may be there as well.
    records.delete(`_platform.${apex}`)
    records.set(`_vercel.${apex}`, [`vc-domain-verify=${apex},0`, other.verification[0].value])
    assert.deepEqual(outcome(await verify()), [400, 'missing_txt_record'])
    records.set(`_vercel.${apex}`, [`vc-domain-verify=${apex},0`, challenge.value])
    const verified = await verify()
    assert.deepEqual(
      [verified.status, verified.body.verified, verified.body.verification],
      [200, true, undefined],
    )
    assert.equal(await taker.shown(apex), 'mine')
    records.delete(`_vercel.${apex}`)
    assert.deepEqual((await verify()).body, verified.body)

    // The other lost it, and sends nobody there any more.
    assert.equal((await holder.call(`GET /v9/projects/${holder.name}/domains/${apex}`)).status, 404)
    const www = await holder.call(`GET /v9/projects/${holder.name}/domains/www.${apex}`)
    assert.deepEqual([www.body.redirect, www.body.verified], [null, true])
    assert.equal(await holder.shown(`www.${apex}`), 'theirs')
    await holder.deploy('newer', 'production')
    assert.equal(await taker.shown(apex), 'mine')
    assert.equal((await holder.add(apex)).body.verified, false)
  })

  test('of two who may take a name over at the same moment, one has it', async () => {
    const [holder, ...takers] = [await begin(), await begin(), await begin()]
    assert.ok(holder)
    const { apex } = holder
    await holder.deploy('theirs', 'production')
    await holder.add(apex)
    const values: string[] = []
    for (const taker of takers) {
      await taker.deploy(taker.name, 'production')
      values.push((await taker.add(apex)).body.verification[0].value)
    }
    records.set(`_platform.${apex}`, values)
    const answers = await Promise.all([
      ...takers.map(({ call, name }) => call(`POST /v9/projects/${name}/domains/${apex}/verify`)),
      holder.deploy('newer', 'production'),
      holder.call(`DELETE /v9/projects/${holder.name}/domains/${apex}`),
    ])
    for (const { status } of answers.slice(0, 2)) assert.ok([200, 409].includes(status), `${status}`)
    const present = await server.parts.stores.projectDomains.holders(apex)
    const verified = present.filter((domain) => domain.verified)
    assert.equal(verified.length, 1)
    const winner = takers.find(({ id }) => id === verified[0]?.ownerId)
    assert.ok(winner)
    assert.equal(await winner.shown(apex), winner.name)
    const { status } = await holder.call(`GET /v9/projects/${holder.name}/domains/${apex}`)
    assert.equal(status, 404)
  })

  test('a name under a verified domain, or an alias, of another account is claimed', async () => {
    const [holder, taker] = [await begin(), await begin()]
    const { apex } = holder
    await server.parts.stores.domains.add(sampleDomain({ ownerId: holder.id, name: apex, txtVerifiedAt: 1 }))
    assert.equal((await holder.add(`a.${apex}`)).body.verified, true)
    assert.equal((await taker.add(`b.${apex}`)).body.verified, false)
    const { id } = await holder.deploy('theirs')
    await holder.call(`POST /v2/platform/deployments/${id}/aliases`, { alias: `c.${apex}` })
    assert.equal(await holder.shown(`c.${apex}`), 'theirs')
    const { body } = await taker.add(`c.${apex}`)
    assert.equal(body.verified, false)
    assert.equal(body.verification[0].domain, `_platform.${apex}`)
    records.set(`_platform.${apex}`, [body.verification[0].value])
    const verified = await taker.call(`POST /v9/projects/${taker.name}/domains/c.${apex}/verify`)
    assert.equal(verified.body.verified, true)
    assert.equal(await taker.shown(`c.${apex}`), 404)
    await taker.deploy('mine', 'production')
    assert.equal(await taker.shown(`c.${apex}`), 'mine')
    assert.equal(await taker.shown(`b.${apex}`), 404)
  })

  test('lists are filtered and come in pages, both ways', async () => {
    const { name, apex, add, call } = await begin()
    await add(apex)
    await add(`from.${apex}`, { redirect: apex })
    await add(`branch.${apex}`, { gitBranch: 'next' })
    await add(`custom.${apex}`, { customEnvironmentId: 'env_1' })
    const list = async (query: string) => {
      const { status, body } = await call(`GET /v9/projects/${name}/domains?${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body
    }
    const names = async (query: string) =>
      (await list(query)).domains.map((domain: { name: string }) => domain.name.replace(`.${apex}`, ''))
    const all = ['custom', 'branch', 'from', apex]
    for (const [query, ...expected] of [
      ['', ...all],
      ['order=DESC&production=false&redirects=true', ...all],
      ['order=ASC', ...all.toReversed()],
      ['redirects=false', 'custom', 'branch', apex],
      [`redirect=${apex}`, 'from'],
      ['gitBranch=next', 'branch'],
      ['gitBranch=none'],
      ['customEnvironmentId=env_1', 'custom'],
      ['production=true', 'from', apex],
      ['verified=false'],
      ['verified=1', ...all],
    ])
      assert.deepEqual(await names(query as string), expected, query)
    const walk = async (order: 'ASC' | 'DESC', edge: 'since' | 'until') => {
      const seen: string[] = []
      for (let query = `order=${order}&limit=3`; ; ) {
        const { domains, pagination } = await list(query)
        assert.equal(pagination.count, domains.length)
        seen.push(...domains.map((domain: { name: string }) => domain.name.replace(`.${apex}`, '')))
        if (pagination.next === null) return seen
        query = `order=${order}&limit=3&${edge}=${pagination.next}`
      }
    }
    assert.deepEqual(await walk('DESC', 'until'), all)
    assert.deepEqual(await walk('ASC', 'since'), all.toReversed())
    for (const query of ['order=down', 'limit=0', 'limit=101', 'verified=maybe', 'since=x'])
      assert.equal((await call(`GET /v9/projects/${name}/domains?${query}`)).status, 400, query)
    const { domains, pagination } = await list('limit=1')
    assert.deepEqual([domains.length, pagination.prev], [1, null])
  })

  test('a project has at most 50 domains', async () => {
    const { name, apex, add } = await begin()
    const { stores } = server.parts
    const { body } = await add(apex)
    const [domain] = await stores.projectDomains.ofProject(body.projectId)
    assert.ok(domain)
    for (let i = 1; i < 50; i++) await stores.projectDomains.add({ ...domain, name: `${i}.${apex}` })
    assert.deepEqual(outcome(await add(`more-${name}.com`)), [400, 'bad_request'])
  })

  test('custom domains need a plan that has them', async () => {
    const { id, name, apex, add } = await begin()
    for (const plan of ['oss', 'free'] as const) {
      await server.parts.stores.users.update(id, { plan })
      assert.deepEqual(outcome(await add(apex)), [403, 'custom_domain_needs_upgrade'], plan)
    }
    assert.equal((await add(`our-${name}.localhost`)).status, 200)
    await server.parts.stores.users.update(id, { plan: 'pro' })
    assert.equal((await add(apex)).status, 200)
  })

  test('nothing is added while the latest production deployment is a failure', async () => {
    const { apex, add, deploy } = await begin()
    await deploy('works', 'production')
    const files = [{ file: 'package.json', data: JSON.stringify({ scripts: { build: 'make' } }) }]
    await deploy('', 'production', { files })
    assert.equal((await add(`early.${apex}`)).status, 200)
    await server.runJobs()
    assert.deepEqual(outcome(await add(apex)), [400, 'production_deployment_failed'])
    await deploy('works again', 'production')
    assert.equal((await add(apex)).status, 200)
  })

  test('domains stay as they are while a project is offered, and go with it', async () => {
    const { name, apex, id, add, patch, deploy, call, shown } = await begin()
    const { body: team } = await call('POST /v1/teams', { slug: `t-${name}` })
    await deploy('live', 'production')
    await server.parts.stores.domains.add(sampleDomain({ ownerId: id, name: apex, txtVerifiedAt: 1 }))
    await add(apex)
    const offer = await call(`POST /projects/${name}/transfer-request`)
    for (const answer of [
      await add(`www.${apex}`),
      await patch(apex, { gitBranch: 'x' }),
      await call(`DELETE /v9/projects/${name}/domains/${apex}`),
    ])
      assert.deepEqual(outcome(answer), [409, 'conflict'])
    assert.ok((await call(`GET /v9/projects/${name}`)).body.transferStartedAt)
    server.clock.advance(DAY)
    assert.equal((await patch(apex, { gitBranch: null })).status, 200)
    assert.equal((await call(`GET /v9/projects/${name}`)).body.transferStartedAt, undefined)
    assert.ok(offer.body.code)

    const { body: again } = await call(`POST /projects/${name}/transfer-request`)
    const seen = new Set<string | number>()
    const visits = (async () => {
      for (let i = 0; i < 20; i++) seen.add(await shown(apex))
    })()
    const taken = await call(`PUT /projects/transfer-request/${again.code}?teamId=${team.id}`, {})
    await visits
    assert.equal(taken.status, 202, JSON.stringify(taken.body))
    assert.deepEqual([...seen], ['live'])
    const theirs = await call(`GET /v9/projects/${name}/domains/${apex}?teamId=${team.id}`)
    assert.deepEqual([theirs.status, theirs.body.verified], [200, true])
    const next = await call(`POST /v8/platform/deployments?teamId=${team.id}`, {
      name,
      version: 2,
      target: 'production',
      files: [{ file: 'index.html', data: 'the team’s' }],
    })
    assert.ok(next.body.aliasFinal.includes(apex))
    assert.equal(await shown(apex), 'the team’s')
  })
}
