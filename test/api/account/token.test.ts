import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiSuite } from '#test/support/api-suite.ts'

apiSuite('tokens', (server) => {
  test('a token works until it is revoked, and its value is shown once', async () => {
    const { token, id } = await server.signUp()
    const made = await server.call('POST /v3/user/tokens', { token, body: { name: 'ci' } })
    assert.equal(made.status, 200)
    const { bearerToken, token: shown } = made.body
    assert.match(bearerToken, /^[0-9A-Za-z]{24}$/)
    assert.match(shown.id, /^[0-9a-f]{64}$/)
    assert.deepEqual([shown.name, shown.type, 'expiresAt' in shown], ['ci', 'account', false])

    const me = await server.call('GET /v2/user', { token: bearerToken })
    assert.equal(me.body.user.id, id)
    const list = await server.call('GET /v3/user/tokens', { token })
    assert.ok(!JSON.stringify(list.body).includes(bearerToken))
    assert.deepEqual(list.body.tokens.map((t: { name: string }) => t.name).sort(), ['ci', 'test'])

    const current = await server.call('GET /v3/user/tokens/current', { token: bearerToken })
    assert.equal(current.body.token.id, shown.id)
    const gone = await server.call(`DELETE /v3/user/tokens/${shown.id}`, { token })
    assert.deepEqual(gone.body, { tokenId: shown.id })
    const refused = await server.call('GET /v2/user', { token: bearerToken })
    assert.deepEqual([refused.status, refused.body.error.invalidToken], [403, true])
  })

  test('a token ends at its expiry', async () => {
    const { token } = await server.signUp()
    const expiresAt = server.clock.now() + 1000
    const made = await server.call('POST /v3/user/tokens', { token, body: { name: 'short', expiresAt } })
    assert.equal(made.body.token.expiresAt, expiresAt)
    assert.equal((await server.call('GET /v2/user', { token: made.body.bearerToken })).status, 200)
    server.clock.advance(1000)
    assert.equal((await server.call('GET /v2/user', { token: made.body.bearerToken })).status, 403)
    const past = await server.call('POST /v3/user/tokens', { token, body: { name: 'past', expiresAt: 1 } })
    assert.equal(past.status, 400)
  })

  test('what has expired is forgotten', async () => {
    const { token } = await server.signUp()
    const expiresAt = server.clock.now() + 1000
    const made = await server.call('POST /v3/user/tokens', { token, body: { name: 'brief', expiresAt } })
    server.clock.advance(1000)
    const list = async () => (await server.call('GET /v3/user/tokens', { token })).body.tokens
    const isListed = async () => (await list()).some(({ id }: { id: string }) => id === made.body.token.id)
    assert.ok(await isListed())
    await server.call('POST /v1/operator/jobs/tokens.clean-up/run', {
      token: (await server.operator()).token,
    })
    await server.runJobs()
    assert.ok(!(await isListed()))
  })

  test('`current` can revoke itself', async () => {
    const { token } = await server.signUp()
    assert.equal((await server.call('DELETE /v3/user/tokens/current', { token })).status, 200)
    assert.equal((await server.call('GET /v2/user', { token })).status, 403)
  })

  test("another user's token cannot be seen or revoked", async () => {
    const [a, b] = [await server.signUp(), await server.signUp()]
    const { body } = await server.call('GET /v3/user/tokens/current', { token: a.token })
    for (const method of ['GET', 'DELETE']) {
      const refused = await server.call(`${method} /v3/user/tokens/${body.token.id}`, { token: b.token })
      assert.deepEqual([refused.status, refused.body.error.code], [404, 'not_found'])
    }
    assert.equal((await server.call('GET /v2/user', { token: a.token })).status, 200)
  })

  test('token values are not in the database', async () => {
    const { token } = await server.signUp()
    const row = await server.parts.stores.tokens.byHash(token)
    assert.equal(row, undefined)
  })
})
