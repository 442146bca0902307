import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY, HOUR, MINUTE } from '#contract/time.ts'
import { ZONES_TOPIC } from '#core/dns/zone.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { startDnsServer } from '#test/support/dns/dns-server.ts'
import { beginDomains } from '#test/support/dns/project-domains.ts'
import { createScriptedResolver } from '#test/support/dns/scripted-resolver.ts'
import { assertGolden } from '#test/support/golden.ts'
import { sampleCertificate } from '#test/support/samples.ts'
import { type Answer, startServer } from '#test/support/server.ts'

const NAMESERVERS = ['ns1.localhost', 'ns2.localhost']
const dns = createScriptedResolver()
let names = 0
/** A name that no other test uses. */
const newName = () => `name${++names}.example`

apiSuite(
  'domains',
  (server) => {
    const add = (token: string, name: unknown, more: object = {}) =>
      server.call('POST /v4/domains', { token, body: { name, ...more } })
    const get = (token: string, name: string) => server.call(`GET /v4/domains/${name}`, { token })
    const verify = (token: string, name: string) =>
      server.call(`POST /v4/domains/${name}/verify`, { token, body: {} })
    const code = ({ status, body }: Answer) => [status, body.error?.code]
    /** Adds a domain and publishes its token. */
    const addVerified = async (token: string, name = newName()) => {
      const { body } = await add(token, name)
      dns.set('txt', `_platform.${name}`, [body.domain.verificationRecord])
      assert.equal((await verify(token, name)).status, 200)
      return { name, id: body.domain.id as string }
    }
    const deploy = async (token: string, text: string) => {
      const { body } = await server.call('POST /v8/platform/deployments', {
        token,
        body: { name: 'site', version: 2, files: [{ file: 'index.html', data: text }] },
      })
      return body.id as string
    }
    const alias = (token: string, deploymentId: string, host: string) =>
      server.call(`POST /v2/platform/deployments/${deploymentId}/aliases`, { token, body: { alias: host } })

    test('the TXT record may be where other platforms have theirs, whose own values prove nothing', async () => {
      const { token } = await server.signUp()
      const name = newName()
      const { domain } = (await add(token, name)).body
      dns.set('txt', `_platform.${name}`, [])
      dns.set('txt', `_vercel.${name}`, ['vc-domain-verify=other'])
      assert.deepEqual(code(await verify(token, name)), [400, 'verification_failed'])
      dns.set('txt', `_vercel.${name}`, ['vc-domain-verify=other', domain.verificationRecord])
      assert.equal((await verify(token, name)).status, 200)
    })

    test('a domain is added, verified by its TXT record, got, listed and deleted', async () => {
      const { token, id, email, username } = await server.signUp()
      dns.set('txt', '_platform.shapes.example', [])
      const added = await add(token, 'shapes.example')
      assert.equal(added.status, 200)
      const { domain } = added.body
      assert.match(domain.id, /^[0-9A-Za-z]{24}$/)
      assert.match(domain.verificationRecord, /^[0-9a-f]{40}$/)
      assert.deepEqual(domain.creator, { id, username, email })
      assert.equal(domain.verified, false)
      const shown = (body: Answer['body']) =>
        JSON.parse(
          JSON.stringify(body).replaceAll(username, 'somebody').replaceAll(email, 'somebody@aloft.test'),
        )
      assertGolden('domain/added', shown(added.body))

      const failed = await verify(token, 'shapes.example')
      assert.equal(failed.status, 400)
      assertGolden('domain/verification-failed', failed.body)

      dns.set('txt', '_platform.shapes.example', ['other', domain.verificationRecord])
      const verified = await verify(token, 'shapes.example')
      assert.equal(verified.status, 200)
      assert.deepEqual([verified.body.domain.verified, verified.body.domain.nsVerifiedAt], [true, null])
      assert.ok(verified.body.domain.txtVerifiedAt > 0)
      const again = await verify(token, 'shapes.example')
      assert.deepEqual([again.status, again.body], [200, verified.body])

      const got = await get(token, 'shapes.example')
      assertGolden('domain/single', shown(got.body))
      assert.deepEqual(got.body, verified.body)

      const list = await server.call('GET /v4/domains', { token })
      assertGolden('domain/list', shown(list.body))
      for (const [prefix, golden] of [
        ['/v2/domains', 'domain/list-legacy'],
        ['/domains', 'domain/list-earliest'],
      ] as const)
        assertGolden(golden, (await server.call(`GET ${prefix}`, { token })).body)

      const known = await add(token, 'shapes.example')
      assert.equal(known.status, 409)
      assertGolden('domain/known', known.body)
      assert.equal(known.body.error.uid, domain.id)

      const deleted = await server.call('DELETE /v4/domains/shapes.example', { token })
      assert.deepEqual([deleted.status, deleted.body], [200, { uid: domain.id }])
      const gone = await get(token, 'shapes.example')
      assert.deepEqual([...code(gone), gone.body.error.name], [404, 'not_found', 'shapes.example'])
    })

    test('two of our nameservers verify a domain as well, and make it ours to answer for', async () => {
      const { token } = await server.signUp()
      const name = newName()
      dns.set('ns', name, ['ns1.localhost', 'ns1.elsewhere.net'])
      const one = await add(token, name)
      assert.deepEqual([one.body.domain.verified, one.body.domain.serviceType], [false, 'external'])
      assert.deepEqual(one.body.domain.nameservers, ['ns1.localhost', 'ns1.elsewhere.net'])
      dns.set('ns', name, [...NAMESERVERS, 'ns1.elsewhere.net'])
      const heard: string[] = []
      const stop = server.hear(ZONES_TOPIC, (message) => heard.push(message))
      const both = await add(token, name)
      stop()
      assert.equal(both.status, 200, 'one that waits for its proof is looked up again')
      assert.deepEqual([both.body.domain.id, both.body.domain.verified], [one.body.domain.id, true])
      assert.equal(both.body.domain.serviceType, 'provider.world')
      assert.ok(both.body.domain.nsVerifiedAt > 0)
      assert.deepEqual(heard, [name])
      dns.set('ns', name, ['ns1.elsewhere.net'])
      const lost = (await verify(token, name)).body.domain
      assert.deepEqual(
        [lost.verified, lost.serviceType],
        [true, 'external'],
        'what is lost later changes little',
      )
    })

    describe('names', () => {
      for (const [text, kind] of [
        [undefined, 'missing_name'],
        ['', 'missing_name'],
        ['  ', 'missing_name'],
        ['com', 'invalid_name'],
        ['co.uk', 'invalid_name'],
        ['github.io', 'invalid_name'],
        ['no spaces.com', 'invalid_name'],
        ['under_score.com', 'invalid_name'],
        ['-dash.com', 'invalid_name'],
        ['*.example.com', 'invalid_name'],
        ['https://example.com', 'invalid_name'],
        ['example.com/path', 'invalid_name'],
        ['example..com', 'invalid_name'],
        ['192.0.2.1', 'invalid_name'],
        [`${'a'.repeat(64)}.com`, 'invalid_name'],
        [`${'a.'.repeat(200)}com`, 'invalid_name'],
        ['a\0b.com', 'bad_request'],
        [7, 'bad_request'],
      ] as const)
        test(`${JSON.stringify(text)?.slice(0, 40)} is ${kind}`, async () => {
          const { token } = await server.operator()
          for (const on of ['POST /v4/domains', 'POST /v2/domains', 'POST /domains']) {
            const answer = await server.call(on, { token, body: { name: text } })
            assert.deepEqual(code(answer), [400, kind], on)
            if (kind === 'invalid_name') assert.equal(answer.body.error.name, String(text).slice(0, 100))
          }
        })

      test('are kept in lower case and punycode', async () => {
        const { token } = await server.signUp()
        const added = await add(token, `  GRÜN${++names}.Example. `)
        assert.match(added.body.domain.name, /^xn--grn\d+-\w+\.example$/)
        const got = await get(token, encodeURIComponent(`Grün${names}.example`))
        assert.equal(got.body.domain.id, added.body.domain.id)
      })
    })

    test('names of the platform belong to it', async () => {
      const { token } = await server.signUp()
      for (const name of ['a.localhost', 'a.b.localhost', 'API.localhost']) {
        const answer = await add(token, name)
        assert.deepEqual([...code(answer), answer.body.error.domain], [403, 'forbidden', 'localhost'])
      }
    })

    test('a plan without custom domains refuses them, before anything is asked of DNS', async () => {
      const operator = await server.operator()
      for (const plan of ['free', 'oss']) {
        const { token, id } = await server.signUp()
        await server.call(`PATCH /v1/operator/accounts/${id}`, { token: operator.token, body: { plan } })
        assert.deepEqual(code(await add(token, newName())), [403, 'custom_domain_needs_upgrade'])
        assert.deepEqual(code(await add(token, 'com')), [400, 'invalid_name'], 'the name is looked at first')
      }
    })

    test('several accounts may claim a name; who verifies it first keeps it alone', async () => {
      const [anna, bert] = [await server.signUp(), await server.signUp()]
      const name = newName()
      const annas = (await add(anna.token, name)).body.domain
      const berts = (await add(bert.token, name)).body.domain
      assert.notEqual(annas.verificationRecord, berts.verificationRecord)
      dns.set('txt', `_platform.${name}`, [berts.verificationRecord])
      assert.deepEqual(code(await verify(anna.token, name)), [400, 'verification_failed'])
      assert.equal((await verify(bert.token, name)).status, 200)
      for (const answer of [
        await get(anna.token, name),
        await verify(anna.token, name),
        await add(anna.token, name),
        await server.call(`DELETE /v2/domains/${name}`, { token: anna.token }),
      ])
        assert.deepEqual([...code(answer), answer.body.error.domain], [403, 'forbidden', name])
      assert.deepEqual((await server.call('GET /v4/domains', { token: anna.token })).body.domains, [])
    })

    test('one of two that verify a name at the same moment wins', async () => {
      const [anna, bert] = [await server.signUp(), await server.signUp()]
      const name = newName()
      const tokens: string[] = []
      for (const { token } of [anna, bert])
        tokens.push((await add(token, name)).body.domain.verificationRecord)
      dns.set('txt', `_platform.${name}`, tokens)
      const answers = await Promise.all([verify(anna.token, name), verify(bert.token, name)])
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 403])
      const lists = await Promise.all(
        [anna, bert].map(({ token }) => server.call('GET /v4/domains', { token })),
      )
      assert.equal(lists.flatMap(({ body }) => body.domains).length, 1)
    })

    test('a domain that is added twice at once is one', async () => {
      const { token } = await server.signUp()
      const name = newName()
      const answers = await Promise.all([add(token, name), add(token, name), add(token, name)])
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200],
      )
      assert.equal(new Set(answers.map(({ body }) => body.domain.id)).size, 1)
    })

    test('proof is looked for on a name, then on the name it was registered as', async () => {
      const { token } = await server.signUp()
      const apex = newName()
      const added = (await add(token, `shop.${apex}`)).body.domain
      dns.set('txt', `_platform.${apex}`, [added.verificationRecord])
      assert.equal((await verify(token, `shop.${apex}`)).body.domain.verified, true)
      const delegated = newName()
      dns.set('ns', delegated, NAMESERVERS)
      const sub = (await add(token, `shop.${delegated}`)).body.domain
      assert.deepEqual([sub.verified, sub.nameservers], [true, NAMESERVERS])
    })

    test('what an account has verified holds for the names below, and is no proof for others', async () => {
      const [anna, bert] = [await server.signUp(), await server.signUp()]
      const { name } = await addVerified(anna.token)
      dns.set('ns', name, NAMESERVERS)
      dns.set('ns', `blog.${name}`, NAMESERVERS)
      const berts = await add(bert.token, `blog.${name}`)
      assert.deepEqual([berts.status, berts.body.domain.verified], [200, false])
      assert.equal((await add(anna.token, `shop.${name}`)).body.domain.verified, true)
      dns.set('txt', `_platform.blog.${name}`, [berts.body.domain.verificationRecord])
      assert.equal((await verify(bert.token, `blog.${name}`)).status, 200, 'only its owner can publish this')
    })

    test('when DNS does not answer, a domain is added and not verified', async () => {
      const { token } = await server.signUp()
      const name = newName()
      dns.fail(name)
      const added = await add(token, name)
      assert.deepEqual([added.status, added.body.domain.verified], [200, false])
      const failed = await verify(token, name)
      assert.deepEqual(code(failed), [400, 'verification_failed'])
      assert.deepEqual(failed.body.error.txtVerification, {
        name: `_platform.${name}`,
        values: [],
        verificationRecord: added.body.domain.verificationRecord,
      })
      assert.match(failed.body.error.message, /DNS did not answer/)
    })

    test('a name below a domain finds it, and a longer one that is held comes first', async () => {
      const { token } = await server.signUp()
      const { name, id } = await addVerified(token)
      assert.equal((await get(token, `www.${name}`)).body.domain.id, id)
      const { body } = await add(token, `shop.${name}`)
      assert.equal((await get(token, `a.shop.${name}`)).body.domain.id, body.domain.id)
      assert.deepEqual(code(await verify(token, `www.${name}`)), [404, 'not_found'])
      assert.deepEqual(code(await server.call(`DELETE /v4/domains/www.${name}`, { token })), [
        404,
        'not_found',
      ])
    })

    for (const [on, request] of [
      [
        'POST /v2/domains',
        { external: { serviceType: 'external' }, ours: { serviceType: 'provider.world' } },
      ],
      ['POST /domains', { external: { isExternal: true }, ours: { isExternal: false } }],
    ] as const)
      test(`${on} hands out a token unless our nameservers are asked for`, async () => {
        const { token } = await server.signUp()
        const name = newName()
        const plain = await server.call(on, { token, body: { name: newName() } })
        assert.match(plain.body.verifyToken, /^[0-9a-f]{40}$/)
        const external = await server.call(on, { token, body: { name, ...request.external } })
        assertGolden('domain/added-legacy', external.body)
        assert.deepEqual([external.body.verified, external.body.verifyToken?.length], [false, 40])
        dns.set('txt', `_platform.${name}`, [external.body.verifyToken])
        const verified = await server.call(on, { token, body: { name, ...request.external } })
        assert.deepEqual(verified.body, {
          uid: external.body.uid,
          verified: true,
          created: external.body.created,
        })
        assert.deepEqual(code(await server.call(on, { token, body: { name } })), [409, 'not_modified'])
        const ours = await server.call(on, { token, body: { name: newName(), ...request.ours } })
        assert.deepEqual([ours.body.verified, ours.body.verifyToken], [false, undefined])
        assert.deepEqual(
          code(await server.call(on, { token, body: { name, serviceType: 'other', isExternal: 'x' } })),
          [400, 'bad_request'],
        )
      })

    test('webhooks are told once of a domain that was added, and whether it is ours to answer for', async () => {
      const { token } = await server.signUp()
      const hook = await server.call('POST /v1/webhooks', {
        token,
        body: { url: 'https://hooks.example/', events: ['domain.created'] },
      })
      const name = newName()
      dns.set('ns', name, NAMESERVERS)
      await add(token, name)
      await add(token, name)
      const { body } = await server.call(`GET /v1/webhooks/${hook.body.id}/deliveries`, { token })
      assert.equal(body.deliveries.length, 1)
      const { id } = body.deliveries[0]
      const sent = await server.call(`GET /v1/webhooks/${hook.body.id}/deliveries/${id}`, { token })
      assert.match(JSON.stringify(sent.body), new RegExp(`${name}.{1,10}delegated.{1,5}true`))
    })

    test('what DNS says of a domain is compared with what it should say', async () => {
      const { token } = await server.signUp()
      const { name } = await addVerified(token)
      dns.set('a', name, ['127.0.0.1'])
      dns.set('cname', `www.${name}`, ['elsewhere.net'])
      const { status, body } = await server.call(`GET /v1/domains/www.${name}/inspect`, { token })
      assert.equal(status, 200)
      assert.deepEqual([body.name, body.verified, body.serviceType], [name, true, 'external'])
      assert.deepEqual(
        body.checks.map((check: { id: string; status: string }) => [check.id, check.status]),
        [
          ['nameservers', 'missing'],
          ['txt', 'ok'],
          ['address', 'ok'],
          ['www', 'wrong'],
          ['caa', 'ok'],
        ],
      )
      assert.match(body.nextStep, /CNAME record on www\..+ with the value alias\.localhost/)
      assert.deepEqual(code(await server.call('GET /v1/domains/none.example/inspect', { token })), [
        404,
        'not_found',
      ])
    })

    test('lists are paged by time, newest first', async () => {
      const { token } = await server.signUp()
      const all = [newName(), newName(), newName()]
      for (const name of all) {
        await add(token, name)
        server.clock.advance(1)
      }
      const first = await server.call('GET /v4/domains?limit=2', { token })
      assert.deepEqual(
        first.body.domains.map((domain: { name: string }) => domain.name),
        [all[2], all[1]],
      )
      const { next } = first.body.pagination
      const rest = await server.call(`GET /v2/domains?limit=2&until=${next}`, { token })
      assert.deepEqual(
        rest.body.domains.map((domain: { name: string }) => domain.name),
        [all[0]],
      )
    })

    test('a team has domains of its own', async () => {
      const { token } = await server.signUp()
      const { body: team } = await server.call('POST /v1/teams', { token, body: { slug: `team-${++names}` } })
      const name = newName()
      await server.call(`POST /v4/domains?teamId=${team.id}`, { token, body: { name } })
      assert.deepEqual(code(await get(token, name)), [404, 'not_found'])
      assert.equal((await get(token, `${name}?teamId=${team.id}`)).body.domain.name, name)
    })

    describe('a domain that was bought here and deleted', () => {
      const boughtAndDeleted = async () => {
        const { token } = await server.signUp()
        const name = `bought-${process.pid}-${++names}.com`
        const buy = await server.call('POST /v4/domains/buy', { token, body: { name, expectedPrice: 12 } })
        assert.equal(buy.status, 200)
        dns.set('ns', name, NAMESERVERS)
        const { expiresAt } = (await get(token, name)).body.domain
        assert.equal((await server.call(`DELETE /v4/domains/${name}`, { token })).status, 200)
        return { token, name, expiresAt }
      }

      test('is nobody else’s, although our nameservers answer for it', async () => {
        const { name } = await boughtAndDeleted()
        const bert = await beginDomains(server)
        for (const servers of [NAMESERVERS, []]) {
          dns.set('ns', name, servers)
          const added = await add(bert.token, name)
          assert.deepEqual([...code(added), added.body.error.domain], [403, 'forbidden', name])
        }
        dns.set('ns', name, NAMESERVERS)
        const below = await add(bert.token, `www.${name}`)
        assert.deepEqual([below.status, below.body.domain.verified], [200, false])
        assert.deepEqual(code(await verify(bert.token, `www.${name}`)), [400, 'verification_failed'])
        const moved = await add(bert.token, name, {
          method: 'transfer-in',
          authCode: 'abcdef',
          expectedPrice: 12,
        })
        assert.deepEqual([...code(moved), moved.body.error.domain], [403, 'forbidden', name])
        assert.deepEqual(code(await add(bert.token, name)), [403, 'forbidden'], 'trying changed nothing')
        assert.equal((await bert.add(`shop.${name}`)).body.verified, false)
      })

      test('is what it was once its buyer adds it again', async () => {
        const { token, name, expiresAt } = await boughtAndDeleted()
        dns.set('ns', name, [])
        const { domain } = (await add(token, name)).body
        assert.deepEqual(
          [domain.verified, domain.serviceType, domain.expiresAt],
          [true, 'provider.world', expiresAt],
        )
        assert.ok(domain.boughtAt > 0)
        assert.ok(await server.parts.zones.find(name))
      })

      test('is whoever’s it is by now, once others answer for it', async () => {
        const { token, name } = await boughtAndDeleted()
        dns.set('ns', name, ['ns1.elsewhere.net', 'ns2.elsewhere.net'])
        assert.equal((await add(token, name)).body.domain.verified, false)
        const bert = await server.signUp()
        await addVerified(bert.token, name)
        assert.deepEqual(code(await add(token, name)), [403, 'forbidden'])
      })
    })

    describe('hosts in a domain', () => {
      test('show a deployment once the domain is verified', async () => {
        const [anna, bert] = [await server.signUp(), await server.signUp()]
        const id = await deploy(anna.token, 'at home')
        const name = newName()
        const unknown = await alias(anna.token, id, `www.${name}`)
        assert.deepEqual([...code(unknown), unknown.body.error.name], [404, 'not_found', `www.${name}`])
        const { domain } = (await add(anna.token, name)).body
        const early = await alias(anna.token, id, `www.${name}`)
        assert.deepEqual([...code(early), early.body.error.domain], [400, 'domain_not_verified', name])
        dns.set('txt', `_platform.${name}`, [domain.verificationRecord])
        await verify(anna.token, name)
        for (const host of [name, `www.${name}`, `a.b.${name}`]) {
          assert.equal((await alias(anna.token, id, host)).status, 200)
          assert.equal((await server.visit(host, '/')).body, 'at home')
        }
        const berts = await alias(bert.token, await deploy(bert.token, 'foreign'), `x.${name}`)
        assert.deepEqual([...code(berts), berts.body.error.domain], [403, 'forbidden', name])
        const shown = (await get(anna.token, name)).body.domain.aliases
        assert.deepEqual(
          shown.map((one: { alias: string }) => one.alias),
          [`a.b.${name}`, `www.${name}`, name],
        )
        assert.deepEqual(code(await alias(anna.token, id, `*.${name}`)), [400, 'invalid_alias'])
        dns.set('ns', name, NAMESERVERS)
        await verify(anna.token, name)
        assert.equal((await alias(anna.token, id, `*.${name}`)).status, 200, 'we answer for the domain now')
      })

      test('need a plan with custom domains', async () => {
        const operator = await server.operator()
        const { token, id } = await server.signUp()
        const deployment = await deploy(token, 'free')
        const { name } = await addVerified(token)
        await server.call(`PATCH /v1/operator/accounts/${id}`, {
          token: operator.token,
          body: { plan: 'free' },
        })
        assert.deepEqual(code(await alias(token, deployment, name)), [403, 'custom_domain_needs_upgrade'])
      })

      test('are in the way of deleting the domain, except in the older versions', async () => {
        const { token } = await server.signUp()
        const id = await deploy(token, 'to be removed')
        const { name, id: uid } = await addVerified(token)
        const other = await add(token, `kept.${name}`)
        assert.equal(other.body.domain.verified, true)
        const { body: www } = await alias(token, id, `www.${name}`)
        await alias(token, id, `kept.${name}`)
        const conflict = await server.call(`DELETE /v4/domains/${name}`, { token })
        assert.deepEqual(code(conflict), [409, 'conflict_aliases'])
        assert.deepEqual(conflict.body.error.aliases, [www.uid])
        assert.equal((await server.visit(`www.${name}`, '/')).body, 'to be removed')
        const deleted = await server.call(`DELETE /v2/domains/${name}`, { token })
        assert.deepEqual([deleted.status, deleted.body], [200, { uid }])
        assert.equal((await server.visit(`www.${name}`, '/')).status, 404)
        assert.equal((await server.visit(`kept.${name}`, '/')).body, 'to be removed', 'its domain is held')
        assert.equal(
          (await server.call(`DELETE /domains/kept.${name}`, { token })).body.uid,
          other.body.domain.id,
        )
        assert.equal((await server.visit(`kept.${name}`, '/')).status, 404)
      })
    })

    describe('the domains of projects in a domain', () => {
      test('go with it in the older versions, and are in the way of deleting otherwise', async () => {
        const owner = await beginDomains(server)
        const { token, apex, name: project } = owner
        const { name, id: uid } = await addVerified(token)
        const { body: webhook } = await server.call('POST /v1/webhooks', {
          token,
          body: { url: 'http://203.0.113.7/', events: ['project.domain.deleted'] },
        })
        await owner.deploy('production', 'production')
        for (const [host, settings] of [
          [name, {}],
          [`www.${name}`, { redirect: name }],
          [apex, { redirect: name }],
        ] as const)
          assert.equal((await owner.add(host, settings)).status, 200)
        const quiet = await beginDomains(server, { account: owner })
        assert.equal((await quiet.add(`quiet.${name}`)).status, 200)
        assert.deepEqual([await owner.shown(name), await owner.shown(apex)], ['production', 307])

        const conflict = await server.call(`DELETE /v4/domains/${name}`, { token })
        assert.deepEqual(
          [...code(conflict), conflict.body.error.aliases.length],
          [409, 'conflict_aliases', 2],
        )
        assert.equal(await owner.shown(name), 'production')

        const deleted = await server.call(`DELETE /v2/domains/${name}`, { token })
        assert.deepEqual([deleted.status, deleted.body], [200, { uid }])
        const left = await owner.call(`GET /v9/projects/${project}/domains`)
        assert.deepEqual(
          left.body.domains.map((one: { name: string; redirect: string | null }) => [one.name, one.redirect]),
          [[apex, null]],
        )
        assert.deepEqual((await quiet.call(`GET /v9/projects/${quiet.name}/domains`)).body.domains, [])
        const { items } = await server.parts.stores.deliveries.list(webhook.id, { limit: 10 })
        assert.deepEqual(
          items.map(({ body }) => JSON.parse(body).payload.domain.name).toSorted(),
          [name, `quiet.${name}`, `www.${name}`].toSorted(),
        )
        for (const again of [false, true]) {
          if (again) {
            await owner.deploy('next', 'production')
            await quiet.deploy('next', 'production')
          }
          for (const host of [name, `www.${name}`, `quiet.${name}`])
            assert.equal(await owner.shown(host), 404)
          assert.equal(await owner.shown(apex), again ? 'next' : 'production', 'where else its visitors went')
        }
      })

      test('that show nothing are in the way as well', async () => {
        const owner = await beginDomains(server)
        const { name } = await addVerified(owner.token)
        await owner.add(`www.${name}`)
        const conflict = await owner.call(`DELETE /v4/domains/${name}`)
        assert.deepEqual(
          [...code(conflict), conflict.body.error.aliases],
          [409, 'conflict_aliases', []],
          conflict.body.error.message,
        )
        assert.match(conflict.body.error.message, new RegExp(`www\\.${name}`))
        await owner.call(`DELETE /v9/projects/${owner.name}/domains/www.${name}`)
        assert.equal((await owner.call(`DELETE /v4/domains/${name}`)).status, 200)
      })
    })

    test('whoever has a domain next has its hosts, also those of deployments that were deleted', async () => {
      const [anna, bert] = [await server.signUp(), await server.signUp()]
      const { name } = await addVerified(anna.token)
      const id = await deploy(anna.token, 'of Anna')
      assert.equal((await alias(anna.token, id, `www.${name}`)).status, 200)
      await server.call(`DELETE /v8/platform/deployments/${id}`, { token: anna.token })
      assert.equal((await server.call(`DELETE /v4/domains/${name}`, { token: anna.token })).status, 200)
      await addVerified(bert.token, name)
      const taken = await alias(bert.token, await deploy(bert.token, 'of Bert'), `www.${name}`)
      assert.equal(taken.status, 200, JSON.stringify(taken.body))
      assert.equal((await server.visit(`www.${name}`, '/')).body, 'of Bert')
    })

    test('what is in a longer domain that the account has verified is not in the way, in one that it claims it is', async () => {
      const { token, id: ownerId } = await server.signUp()
      const claimed = newName()
      assert.equal((await add(token, `shop.${claimed}`)).body.domain.verified, false)
      await addVerified(token, claimed)
      const id = await deploy(token, 'shop')
      const host = `www.shop.${claimed}`
      assert.equal((await alias(token, id, host)).status, 200)
      const refused = await server.call(`DELETE /v4/domains/${claimed}`, { token })
      assert.deepEqual(code(refused), [409, 'conflict_aliases'])
      assert.equal((await server.call(`DELETE /v2/domains/shop.${claimed}`, { token })).status, 200)
      assert.equal((await server.visit(host, '/')).body, 'shop')
      assert.equal((await server.call(`DELETE /v2/domains/${claimed}`, { token })).status, 200)
      assert.equal((await server.visit(host, '/')).status, 404)

      const { name } = await addVerified(token)
      assert.equal((await add(token, `kept.${name}`)).body.domain.verified, true)
      const { certificates } = server.parts.stores
      const names = [`*.kept.${name}`, `kept.${name}`]
      await certificates.add(sampleCertificate({ ownerId, names, source: 'issued' }))
      assert.equal((await server.call(`DELETE /v4/domains/${name}`, { token })).status, 200)
      const needed = await server.call(`DELETE /v4/domains/kept.${name}`, { token })
      assert.deepEqual(code(needed), [409, 'conflict_certs'])
    })

    test('certificates that somebody asked for are in the way of deleting, automatic ones are not', async () => {
      const { token, id: ownerId } = await server.signUp()
      const { name } = await addVerified(token)
      const certificate = (id: string, source: 'issued' | 'automatic') => ({
        id,
        ownerId,
        names: [`${source}.${name}`],
        source,
        autoRenew: true,
        createdAt: 1_700_000_000_000,
        expiresAt: 1_800_000_000_000,
        renewAt: null,
        cert: '',
        sealedKey: '',
      })
      const { certificates } = server.parts.stores
      await certificates.add(certificate('cert_automatic', 'automatic'))
      await certificates.add(certificate('cert_issued', 'issued'))
      assert.equal((await get(token, name)).body.domain.certs.length, 2)
      for (const prefix of ['/v4', '/v2', '']) {
        const conflict = await server.call(`DELETE ${prefix}/domains/${name}`, { token })
        assert.deepEqual(
          [...code(conflict), conflict.body.error.certCNs],
          [409, 'conflict_certs', [`issued.${name}`]],
        )
      }
      await certificates.remove(ownerId, 'cert_issued')
      assert.equal((await server.call(`DELETE /v4/domains/${name}`, { token })).status, 200)
    })
  },
  { resolver: dns },
)

test('domains that wait for their proof are looked up again, ever less often', async (t) => {
  const resolver = createScriptedResolver()
  const server = await startServer({ resolver })
  t.after(() => server.close())
  const [operator, { token }] = [await server.operator(), await server.signUp()]
  const asked: string[] = []
  resolver.onAsk = (kind, name) => void (kind === 'ns' && asked.push(name))
  const later = async (ms: number) => {
    server.clock.advance(ms)
    asked.length = 0
    await server.call('POST /v1/operator/jobs/domains.recheck/run', { token: operator.token })
    await server.runJobs()
    return asked.toSorted()
  }
  const tokens = new Map<string, string>()
  for (const name of ['down.example', 'slow.example', 'ready.example']) {
    const { body } = await server.call('POST /v4/domains', { token, body: { name } })
    tokens.set(name, body.domain.verificationRecord)
  }
  resolver.fail('down.example')
  assert.deepEqual(await later(MINUTE), [], 'they were just looked up')
  resolver.set('txt', '_platform.ready.example', [tokens.get('ready.example') ?? ''])
  assert.deepEqual(await later(5 * MINUTE), ['down.example', 'ready.example', 'slow.example'])
  const { body } = await server.call('GET /v4/domains/ready.example', { token })
  assert.equal(body.domain.verified, true)
  assert.deepEqual(await later(5 * MINUTE), ['down.example', 'slow.example'])
  assert.deepEqual(await later(DAY), ['down.example', 'ready.example', 'slow.example'])
  assert.deepEqual(await later(5 * MINUTE), [], 'after a day it is once an hour')
  assert.deepEqual(await later(HOUR), ['down.example', 'ready.example', 'slow.example'])
  assert.deepEqual(await later(8 * DAY), ['ready.example'], 'in the end nobody waits for them any more')
})

test('a verified domain that is delegated to us later is noticed within an hour', async (t) => {
  const resolver = createScriptedResolver()
  const server = await startServer({ resolver })
  t.after(() => server.close())
  const [operator, { token }] = [await server.operator(), await server.signUp()]
  const asked: string[] = []
  const heard: string[] = []
  const stop = server.hear(ZONES_TOPIC, (message) => heard.push(message))
  t.after(stop)
  const serviceType = async () =>
    (await server.call('GET /v4/domains/late.example', { token })).body.domain.serviceType
  const later = async (ms: number) => {
    server.clock.advance(ms)
    asked.length = heard.length = 0
    await server.call('POST /v1/operator/jobs/domains.recheck/run', { token: operator.token })
    await server.runJobs()
    return serviceType()
  }
  const { body } = await server.call('POST /v4/domains', { token, body: { name: 'late.example' } })
  resolver.set('txt', '_platform.late.example', [body.domain.verificationRecord])
  resolver.set('ns', 'late.example', ['ns1.elsewhere.net'])
  await server.call('POST /v4/domains/late.example/verify', { token, body: {} })
  await server.call('POST /v4/domains/buy', { token, body: { name: 'bought-here.com', expectedPrice: 12 } })
  resolver.onAsk = (kind, name) => void (kind === 'ns' && asked.push(name))
  assert.equal(await later(30 * MINUTE), 'external')
  assert.deepEqual(asked, [])
  resolver.set('ns', 'late.example', NAMESERVERS)
  assert.equal(await later(30 * MINUTE), 'provider.world')
  assert.deepEqual([asked, heard], [['late.example'], ['late.example']], 'what was bought is not looked up')
  resolver.set('ns', 'late.example', [])
  assert.equal(await later(HOUR), 'provider.world')
  assert.deepEqual(asked, [], 'it is ours to answer for until somebody says otherwise')
})

test('the servers of the settings are asked, over the wire', async (t) => {
  const texts = new Map<string, string>()
  const world = await startDnsServer(({ name, type }) => {
    const text = type === 'TXT' ? texts.get(name.toLowerCase()) : undefined
    return text === undefined
      ? { rcode: 'NXDOMAIN' }
      : { answers: [{ name, type: 'TXT', ttl: 1, data: text }] }
  })
  t.after(() => world.close())
  const server = await startServer({ env: { ALOFT_RESOLVERS: world.address } })
  t.after(() => server.close())
  const { token } = await server.signUp()
  const { body } = await server.call('POST /v4/domains', { token, body: { name: 'wire.example' } })
  assert.equal(body.domain.verified, false)
  texts.set('_platform.wire.example', body.domain.verificationRecord)
  const verified = await server.call('POST /v4/domains/wire.example/verify', { token, body: {} })
  assert.deepEqual([verified.status, verified.body.domain?.verified], [200, true])
})
