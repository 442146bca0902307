import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  CONTRACT_KINDS,
  type ContractHost,
  type ContractKind,
  startContractHost,
} from '../../support/git/contract-host.ts'
import { type Account, startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
const hosts = new Map<ContractKind, ContractHost>()

before(async () => {
  server = await startServer({ env: { ALOFT_PRIVATE_TARGETS: '127.0.0.1' } })
  for (const kind of CONTRACT_KINDS) hosts.set(kind, await startContractHost(kind))
})
after(async () => {
  await server?.close()
  for (const host of hosts.values()) await host.close()
})

const hostOf = (kind: ContractKind): ContractHost => hosts.get(kind) as ContractHost

const connect = (account: Pick<Account, 'token'>, kind: ContractKind, given: object = {}, query = '') =>
  server.call(`POST /v1/git/connections${query}`, {
    token: account.token,
    body: { kind, url: hostOf(kind).url, token: hostOf(kind).token, ...given },
  })

for (const kind of CONTRACT_KINDS)
  test(`an account at ${kind} is connected, named, and its repositories are found`, async () => {
    const host = hostOf(kind)
    const me = await server.signUp()
    const made = await connect(me, kind)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const { id, createdAt, ...rest } = made.body
    assert.deepEqual(rest, {
      kind,
      url: host.url,
      login: 'octocat',
      appId: null,
      createdBy: me.id,
      problem: null,
    })
    const stored = await server.parts.stores.connections.find(me.id, id)
    assert.ok(!JSON.stringify([made.body, stored]).includes(host.token), 'the token is nowhere to be read')
    assert.deepEqual((await server.call('GET /v1/git/connections', me)).body, { connections: [made.body] })

    for (let i = 0; i < 120; i++)
      host.repositories.push({ id: i + 1, name: `acme/part-${i}`, isPrivate: i === 0 })
    host.repositories.push({ id: 500, name: 'octocat/Hello.World', isPrivate: true })
    const find = async (query: string) => {
      const found = await server.call(`GET /v1/git/connections/${id}/repositories?${query}`, me)
      assert.equal(found.status, 200, JSON.stringify(found.body))
      return found.body as {
        repositories: { name: string; private: boolean; defaultBranch: string }[]
        next: number | null
      }
    }
    const seen: string[] = []
    for (let page: number | null = 1; page !== null; ) {
      const { repositories, next } = await find(`page=${page}`)
      seen.push(...repositories.map(({ name }) => name))
      page = next
    }
    assert.equal(new Set(seen).size, 121)
    assert.equal(seen.length, 121)
    const { repositories } = await find('search=hello')
    assert.deepEqual(
      repositories.map(({ name, private: isPrivate, defaultBranch }) => [name, isPrivate, defaultBranch]),
      [['octocat/Hello.World', true, 'main']],
    )
    assert.deepEqual((await find('search=octocat/Hello.World')).repositories.length, 1)
    assert.deepEqual((await find('search=no%22%20such')).repositories, [])

    // The token is revoked at the host.
    host.refusal = 401
    const refused = await server.call(`GET /v1/git/connections/${id}/repositories`, me)
    assert.equal(refused.status, 400)
    assert.match(refused.body.error.message, /does not accept the token.*Connect the host again/)
    const broken = async () =>
      (await server.call('GET /v1/git/connections', me)).body.connections[0].problem as string | null
    assert.match((await broken()) ?? '', /does not accept the token/)
    host.refusal = 500
    assert.equal((await server.call(`GET /v1/git/connections/${id}/repositories`, me)).status, 503)
    host.refusal = undefined
    await find('search=hello')
    assert.equal(await broken(), null)

    assert.equal((await server.call(`DELETE /v1/git/connections/${id}`, me)).status, 204)
    assert.deepEqual((await server.call('GET /v1/git/connections', me)).body, { connections: [] })
  })

test('what no host has said yes to is not stored, and is told in words', async () => {
  const me = await server.signUp()
  const refused = async (kind: ContractKind, given: object, words: RegExp, status = 400) => {
    const { body, status: came } = await connect(me, kind, given)
    assert.equal(came, status, JSON.stringify(body))
    assert.match(body.error.message, words)
  }
  await refused('github', { token: 'wrong' }, /^127\.0\.0\.1 does not accept the token/)
  await refused('github', { url: 'http://10.0.0.1' }, /private (?:IP )?address/)
  await refused('github', { url: 'file:///etc/passwd' }, /https/)
  await refused('gitlab', { url: `${hostOf('gitlab').url}/sub` }, /without a path/)
  await refused('gitea', { url: 'http://127.0.0.1:1' }, /can’t be reached right now/, 503)
  await refused('github', { token: 'line\r\nx-other: 1' }, /token/)
  const missing = await server.call('POST /v1/git/connections', {
    ...me,
    body: { kind: 'gitea', token: 'x' },
  })
  assert.match(missing.body.error.message, /be the URL of the host/)
  assert.equal((await connect(me, 'bitbucket', { username: 'me@example.com' })).status, 201)
  assert.deepEqual((await server.parts.stores.connections.list(me.id)).length, 1)
})

test('a team shares what is connected; an OWNER removes it, a member only what is theirs', async () => {
  const [owner, member] = [await server.signUp(), await server.signUp()]
  const { body: team } = await server.call('POST /v1/teams', { ...owner, body: { slug: 'with-hosts' } })
  await server.call(`POST /v1/teams/${team.id}/members`, { ...owner, body: { email: member.email } })
  const query = `?teamId=${team.id}`
  const ofOwner = await connect(owner, 'github', {}, query)
  const ofMember = await connect(member, 'github', {}, query)
  const remove = (who: Account, id: string) => server.call(`DELETE /v1/git/connections/${id}${query}`, who)
  const listed = await server.call(`GET /v1/git/connections${query}`, member)
  assert.equal(listed.body.connections.length, 2)
  assert.equal((await remove(member, ofOwner.body.id)).status, 403)
  assert.equal((await remove(member, ofMember.body.id)).status, 204)
  assert.equal((await remove(owner, ofOwner.body.id)).status, 204)
  assert.equal((await remove(owner, ofOwner.body.id)).status, 404)
})
