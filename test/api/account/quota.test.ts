import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { packBatch } from '#contract/file-batch.ts'
import { MINUTE } from '#contract/time.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { createBrowser, hiddenIn } from '#test/support/browser/browser.ts'
import { sampleDomain } from '#test/support/samples.ts'
import type { Answer } from '#test/support/server.ts'
import { makeAuthority, makeLeaf } from '#test/support/tls/pki.ts'

interface Use {
  readonly name: string
  readonly used: number
  readonly limit: number | null
}

apiSuite('quotas', (server) => {
  const operator = async () => {
    const { token, email } = await server.signUp()
    const user = await server.parts.stores.users.byEmail(email)
    await server.parts.stores.users.update(user?.id ?? '', { operator: true })
    return token
  }

  /** An account that may use so much. */
  const limited = async (limits: Record<string, number | null>) => {
    const { token, email } = await server.signUp()
    const set = await server.call(`PATCH /v1/operator/accounts/${email}/quotas`, {
      token: await operator(),
      body: limits,
    })
    assert.equal(set.status, 200, JSON.stringify(set.body))
    const user = await server.parts.stores.users.byEmail(email)
    return { token, email, id: user?.id ?? '' }
  }

  const useOf = async (token: string, name: string): Promise<Use> => {
    const { body } = await server.call('GET /v1/usage', { token })
    return body.quotas.find((use: Use) => use.name === name)
  }

  const upload = (token: string, text: string, headers: Record<string, string> = {}) =>
    server.call('POST /v2/platform/files', {
      token,
      body: text,
      headers: {
        'content-type': 'application/octet-stream',
        'x-platform-digest': createHash('sha1').update(text).digest('hex'),
        ...headers,
      },
    })

  const deploy = (token: string, body: object) =>
    server.call('POST /v8/platform/deployments', { token, body: { version: 2, name: 'site', ...body } })

  test('usage says what is used, what is allowed and until when', async () => {
    const { token } = await limited({ contentBytes: 100, buildMinutes: 5 })
    assert.equal((await upload(token, 'twelve bytes')).status, 200)
    const { body } = await server.call('GET /v1/usage', { token })
    assert.equal(body.plan, 'enterprise')
    const named = Object.fromEntries(body.quotas.map((use: Use) => [use.name, use]))
    assert.deepEqual([named.contentBytes.used, named.contentBytes.limit], [12, 100])
    assert.deepEqual([named.deployments.used, named.deployments.limit], [0, null])
    assert.deepEqual([named.buildMinutes.per, named.buildMinutes.limit], ['month', 5])
    assert.ok(named.buildMinutes.reset > Date.now())
    assert.equal(named.contentBytes.reset, undefined)
  })

  test('files are taken as long as there is room, and those that are there already are always', async () => {
    const { token } = await limited({ contentBytes: 20 })
    assert.equal((await upload(token, 'twelve bytes')).status, 200)
    const refused = await upload(token, 'too many bytes')
    const { code, quota, limit, used, message } = refused.body.error
    assert.deepEqual(
      [refused.status, code, quota, limit, used],
      [403, 'quota_exceeded', 'contentBytes', 20, 12],
    )
    assert.match(message, /allows 20 B of storage, and 12 B are used/)
    assert.equal((await upload(token, 'eight by')).status, 200)
    assert.equal((await upload(token, 'twelve bytes')).status, 200, 'nothing more is stored')
    assert.equal((await useOf(token, 'contentBytes')).used, 20)
  })

  test('files that come at the same time, of known length or not, never hold more than is allowed', async () => {
    const { token } = await limited({ contentBytes: 100 })
    const texts = Array.from({ length: 24 }, (_, n) => `${n}`.padEnd(10))
    const answers = await Promise.all(
      texts.map((text, n) => {
        if (n % 2 === 0) return upload(token, text).then(({ status }) => status)
        return fetch(`${server.url}/v2/platform/files`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/octet-stream',
            'x-platform-digest': createHash('sha1').update(text).digest('hex'),
          },
          body: new Blob([text]).stream(),
          duplex: 'half',
        } as RequestInit).then(({ status }) => status)
      }),
    )
    const taken = answers.filter((status) => status === 200).length
    assert.deepEqual([...new Set(answers)].sort(), [200, 403])
    assert.equal((await useOf(token, 'contentBytes')).used, taken * 10)
    assert.ok(taken <= 10, `${taken} were taken`)
  })

  test('deployments that are made at the same time are never more than are allowed', async () => {
    const { token } = await limited({ deployments: 3 })
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        deploy(token, { name: `site-${n}`, files: [{ file: 'index.html', data: `${n}` }] }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, ...Array(5).fill(403)])
    assert.equal((await useOf(token, 'deployments')).used, 3)
  })

  test('no more is read of a file than it was said to have', async () => {
    const { token } = await limited({ contentBytes: 100 })
    let sent = 0
    const endless = new ReadableStream({
      pull(controller) {
        sent += 65_536
        // Far more than what connections hold on their way.
        if (sent > 1e9) controller.close()
        else controller.enqueue(new Uint8Array(65_536))
      },
    })
    const answer = await fetch(`${server.url}/v2/platform/files`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/octet-stream',
        'x-platform-digest': createHash('sha1').update('x').digest('hex'),
        'x-platform-size': '1',
      },
      body: endless,
      duplex: 'half',
    } as RequestInit)
    assert.equal(answer.status, 400)
    assert.match(await answer.text(), /more than the announced 1 bytes/)
    assert.ok(sent < 1e9)
  })

  test('a batch has room as long as what is new of it has', async () => {
    const { token } = await limited({ contentBytes: 20 })
    const batch = (...texts: string[]) => {
      const files = texts.map((text) => ({
        sha1: createHash('sha1').update(text).digest('hex'),
        bytes: Buffer.from(text),
      }))
      return fetch(`${server.url}/v1/platform/files/batch`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
        body: packBatch(files),
      })
    }
    assert.equal((await batch('twelve bytes')).status, 200)
    assert.equal((await batch('twelve bytes', 'nine byte')).status, 403)
    assert.equal((await useOf(token, 'contentBytes')).used, 12, 'nothing of it was stored')
    assert.equal((await batch('twelve bytes', 'eight by')).status, 200)
    assert.equal((await useOf(token, 'contentBytes')).used, 20)
  })

  test('files inside a request count like those that are uploaded', async () => {
    const { token } = await limited({ contentBytes: 20 })
    const files = (...texts: string[]) => ({
      files: texts.map((data, i) => ({ file: `${i}.txt`, data })),
    })
    assert.equal((await deploy(token, files('twelve bytes'))).status, 200)
    const refused = await deploy(token, files('twelve bytes', 'nine byte'))
    assert.deepEqual([refused.status, refused.body.error.quota], [403, 'contentBytes'])
    assert.equal((await deploy(token, files('twelve bytes', 'eight by'))).status, 200)
    const again = await deploy(token, { ...files('twelve bytes', 'eight by'), meta: { a: '1' }, name: 'b' })
    assert.equal(again.status, 200, 'the same contents take no more room')
  })

  test('files inside a request that is refused count until they are collected, whatever refused it', async () => {
    const { token } = await limited({ deployments: 0, contentBytes: 20 })
    const make = (data: string) => deploy(token, { files: [{ file: 'a.txt', data }] })
    assert.equal((await make('twelve bytes')).body.error.quota, 'deployments')
    assert.equal((await useOf(token, 'contentBytes')).used, 12)
    assert.equal((await make('twelve bytes')).body.error.quota, 'deployments')
    assert.equal((await useOf(token, 'contentBytes')).used, 12)
    assert.equal((await make('nine byte')).body.error.quota, 'contentBytes')
    assert.equal((await useOf(token, 'contentBytes')).used, 12)
  })

  test('an account has as many deployments as it may, and room again after it deletes one', async () => {
    const { token } = await limited({ deployments: 2 })
    const make = (data: string) => deploy(token, { files: [{ file: 'a.txt', data }] })
    const first = await make('1')
    assert.deepEqual([first.status, (await make('2')).status], [200, 200])
    assert.equal((await make('2')).status, 200, 'one that is there is answered, not made')
    const refused = await make('3')
    const { code, quota, limit, used } = refused.body.error
    assert.deepEqual([refused.status, code, quota, limit, used], [403, 'quota_exceeded', 'deployments', 2, 2])
    const gone = await server.call(`DELETE /v8/platform/deployments/${first.body.id}`, { token })
    assert.equal(gone.status, 200)
    assert.equal((await make('3')).status, 200)
  })

  test('whoever has no build time left builds nothing, and deploys files all the same', async () => {
    const { token, id } = await limited({ buildMinutes: 10 })
    const built = { files: [{ file: 'package.json', data: '{"scripts":{"build":"true"}}' }] }
    const period = new Date().toISOString().slice(0, 7)
    await server.parts.stores.usage.add([{ ownerId: id, what: 'buildMs', period, amount: 9.5 * MINUTE }])
    const refused = await deploy(token, built)
    const { code, quota, limit, used, reset } = refused.body.error
    assert.deepEqual(
      [refused.status, code, quota, limit, used],
      [403, 'quota_exceeded', 'buildMinutes', 10, 9.5],
    )
    assert.ok(reset > Date.now())
    assert.equal((await deploy(token, { files: [{ file: 'a.txt', data: 'a' }] })).status, 200)
  })

  /** An account of its own for each, and how it gets one more. */
  const MAKES: Readonly<Record<string, (token: string, n: number) => Promise<Answer>>> = {
    projects: (token, n) => server.call('POST /v10/projects', { token, body: { name: `project-${n}` } }),
    domains: (token, n) => server.call('POST /v4/domains', { token, body: { name: `held-${n}.example` } }),
    secrets: (token, n) =>
      server.call('POST /v2/platform/secrets', { token, body: { name: `secret-${n}`, value: 'v' } }),
    teams: (token, n) =>
      server.call('POST /v1/teams', {
        token,
        body: { slug: `held-${n}-${token.slice(0, 8).toLowerCase()}` },
      }),
    tokens: (token, n) => server.call('POST /v3/user/tokens', { token, body: { name: `token ${n}` } }),
  }

  for (const [name, make] of Object.entries(MAKES))
    test(`${name} that are made at the same time are never more than are allowed`, async () => {
      const { token } = await limited({ [name]: 1_000 })
      const before = (await useOf(token, name)).used
      const account = await limited({ [name]: before + 3 })
      const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => make(account.token, n)))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, ...Array(5).fill(403)])
      const refused = answers.find(({ status }) => status === 403)
      const { code, quota, limit, used } = refused?.body.error ?? {}
      assert.deepEqual([code, quota, limit, used], ['quota_exceeded', name, before + 3, before + 3])
      assert.equal((await useOf(account.token, name)).used, before + 3)
    })

  test('a project that a deployment or a push would make counts, and one that is there is deployed to', async () => {
    const { token } = await limited({ projects: 1 })
    const make = (name: string) => deploy(token, { name, files: [{ file: 'a.txt', data: name }] })
    assert.equal((await make('one')).status, 200)
    assert.equal((await make('two')).body.error.quota, 'projects')
    const again = await deploy(token, { name: 'one', files: [{ file: 'a.txt', data: 'again' }] })
    assert.equal(again.status, 200)
    const gone = await server.call('DELETE /v9/projects/one', { token })
    assert.equal(gone.status, 204)
    assert.equal((await make('two')).status, 200)
  })

  test('aliases are given as long as there is room, moving one is free, and deleting one makes room', async () => {
    const { token } = await limited({ aliases: 1000 })
    const { body: site } = await deploy(token, { name: 'aliased', files: [{ file: 'a.txt', data: 'a' }] })
    const own = (await useOf(token, 'aliases')).used
    const account = await limited({ aliases: own + 1 })
    assert.ok(site.id)
    const first = await deploy(account.token, { name: 'held', files: [{ file: 'a.txt', data: 'a' }] })
    const assign = (id: string, alias: string) =>
      server.call(`POST /v2/platform/deployments/${id}/aliases`, { token: account.token, body: { alias } })
    assert.equal((await assign(first.body.id, 'held-alias-one')).status, 200)
    const refused = await assign(first.body.id, 'held-alias-two')
    assert.deepEqual([refused.status, refused.body.error.quota], [403, 'aliases'])
    const asked = await deploy(account.token, {
      ...{ name: 'held', files: [{ file: 'a.txt', data: 'b' }] },
      target: 'production',
      alias: ['held-alias-three'],
    })
    assert.deepEqual([asked.status, asked.body.error?.quota], [403, 'aliases'])
    const second = await deploy(account.token, { name: 'held', files: [{ file: 'a.txt', data: 'c' }] })
    assert.equal((await assign(second.body.id, 'held-alias-one')).status, 200)
    assert.equal((await server.call('DELETE /v2/platform/aliases/held-alias-one', account)).status, 200)
    assert.equal((await assign(first.body.id, 'held-alias-two')).status, 200)
  })

  test('certificates of an account have an end, and replacing one is free', async () => {
    const { token, id } = await limited({ certificates: 1 })
    for (const name of ['held-a.example', 'held-b.example'])
      await server.parts.stores.domains.add(
        sampleDomain({ ownerId: id, creatorId: id, txtVerifiedAt: 1, name }),
      )
    const authority = await makeAuthority()
    const upload = async (name: string) => {
      const { cert, key } = await makeLeaf(authority, [name])
      return server.call('PUT /v3/platform/certs', { token, body: { ca: authority.cert, cert, key } })
    }
    assert.equal((await upload('held-a.example')).status, 200)
    assert.equal((await upload('held-a.example')).status, 200)
    assert.equal((await upload('held-b.example')).body.error.quota, 'certificates')
    const issued = await server.call('POST /v3/platform/certs', {
      token,
      body: { domains: ['held-b.example'] },
    })
    assert.deepEqual([issued.status, issued.body.error.quota], [403, 'certificates'])
  })

  test('a team has as many members as its plan allows, however they come', async () => {
    const owner = await server.signUp()
    const { body: team } = await server.call('POST /v1/teams', {
      token: owner.token,
      body: { slug: 'held-members' },
    })
    const limits = await server.call(`PATCH /v1/operator/accounts/held-members/quotas`, {
      token: await operator(),
      body: { members: 2 },
    })
    assert.equal(limits.status, 200, JSON.stringify(limits.body))
    const add = (email: string) =>
      server.call(`POST /v1/teams/${team.id}/members`, { token: owner.token, body: { email } })
    const [second, third] = [await server.signUp(), await server.signUp()]
    const invited = await server.call(`POST /v1/teams/${team.id}/invitations`, {
      token: owner.token,
      body: { email: third.email },
    })
    assert.equal(invited.status, 200)
    assert.equal((await add(second.email)).status, 200)
    assert.equal((await add(second.email)).status, 200, 'who is in it already takes no more room')
    const { code, quota, used } = (await add(third.email)).body.error
    assert.deepEqual([code, quota, used], ['quota_exceeded', 'members', 2])
    const link = /\/invitation\?token=\w+/.exec((await server.mails(third.email)).at(-1)?.text ?? '')?.[0]
    const browser = createBrowser(server)
    const page = await browser.call(`GET ${link}`)
    assert.equal((await browser.post('/invitation', hiddenIn(page.body))).status, 403)
    const { body } = await server.call(`GET /v1/usage?teamId=${team.id}`, { token: owner.token })
    const names = body.quotas.map((use: Use) => use.name)
    assert.ok(names.includes('members') && !names.includes('teams') && !names.includes('tokens'))
  })

  test('operators change what a plan allows, and take it back', async () => {
    const token = await operator()
    const account = await server.signUp()
    const change = (body: object) => server.call('PATCH /v1/operator/quotas/enterprise', { token, body })
    const changed = await change({ deployments: 7, logBytes: null })
    assert.equal(changed.status, 200)
    const plan = changed.body.plans.find((each: { plan: string }) => each.plan === 'enterprise')
    assert.deepEqual(plan.changed.sort(), ['deployments', 'logBytes'])
    assert.equal((await useOf(account.token, 'deployments')).limit, 7)
    assert.equal((await useOf(account.token, 'logBytes')).limit, null)
    assert.equal((await change({ deployments: 'default', logBytes: 'default' })).status, 200)
    assert.equal((await useOf(account.token, 'deployments')).limit, null)
    for (const body of [{}, { deployments: -1 }, { deployments: 1.5 }, { other: 1 }, { deployments: 'x' }])
      assert.equal((await change(body)).status, 400, JSON.stringify(body))
    const unknown = await server.call('PATCH /v1/operator/quotas/gold', { token, body: { deployments: 1 } })
    assert.equal(unknown.status, 404)
  })

  test('only operators see and change the quotas of others', async () => {
    const { token, email } = await server.signUp()
    for (const on of ['GET /v1/operator/quotas', `GET /v1/operator/accounts/${email}/usage`])
      assert.equal((await server.call(on, { token })).status, 403)
    for (const on of ['PATCH /v1/operator/quotas/pro', `PATCH /v1/operator/accounts/${email}/quotas`])
      assert.equal((await server.call(on, { token, body: { deployments: 1 } })).status, 403)
  })
})
