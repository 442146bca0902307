import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinId, openJoin } from '#contract/join-seal.ts'
import { MINUTE } from '#contract/time.ts'
import { createJoining } from '#core/machine/joining.ts'
import { apiSuite } from '#test/support/api-suite.ts'

const SETTINGS = { ALOFT_DATABASE_URL: 'postgres://10.0.0.1/aloft', ALOFT_MASTER_KEY: 'a'.repeat(43) }

apiSuite('machines that join', (server) => {
  const joining = () =>
    createJoining({
      settings: server.parts.stores.settings,
      clock: server.clock,
      shared: () => SETTINGS,
    })
  const join = (token: string) => server.call('POST /v1/machines/join', { body: { id: joinId(token) } })

  test('an invitation opens the settings once, for whoever has its token', async () => {
    const { token } = await joining().invite()
    assert.equal((await join('another')).status, 403)
    const { status, body } = await join(token)
    assert.equal(status, 200)
    assert.doesNotMatch(JSON.stringify(body), /postgres|aaaa/)
    assert.deepEqual(openJoin(body.sealed, token), SETTINGS)
    assert.throws(() => openJoin(body.sealed, `${token}x`))
    assert.equal((await join(token)).status, 403, 'it was used')
  })

  test('it ends, and a newer one takes its place', async () => {
    const first = await joining().invite()
    const second = await joining().invite()
    assert.equal((await join(first.token)).status, 403)
    server.clock.advance(15 * MINUTE)
    assert.equal((await join(second.token)).status, 403)
    const both = await joining().invite()
    const answers = await Promise.all([join(both.token), join(both.token), join(both.token)])
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 403, 403])
  })

  test('only an operator invites, and only where machines can share', async () => {
    const { token } = await server.signUp()
    assert.notEqual((await server.call('POST /v1/operator/machines/invitations', { token })).status, 200)
    const operator = await server.operator()
    const { status, body } = await server.call('POST /v1/operator/machines/invitations', {
      token: operator.token,
    })
    assert.equal(status, 400)
    assert.match(body.error.message, /ALOFT_REDIS_URL, ALOFT_BLOB_URL|points to this machine itself/)
  })

  test('a machine that is removed leaves nothing behind', async () => {
    const operator = await server.operator()
    const { machines, instances } = server.parts.stores
    await machines.report({
      ...{ name: 'lost', role: 'work', version: '1', origin: 'iad1', address: '10.0.0.9:3500', load: 0 },
      ...{ memory: { free: 1, total: 1 }, disk: { free: 1, total: 1 }, startedAt: 1, publicAddresses: [] },
    })
    const instance = {
      deploymentId: 'dpl_lost',
      program: 'p',
      startedAt: 1,
      ownerId: 'usr_lost',
      memoryMb: 1,
    }
    for (const [id, worker] of [
      ['ins_1', 'lost'],
      ['ins_2', 'lost.1'],
      ['ins_3', 'lost-not'],
    ] as const)
      await instances.add({ ...instance, id, worker })
    const remove = (token: string) => server.call('DELETE /v1/operator/machines/lost', { token })
    const { token } = await server.signUp()
    assert.equal((await remove(token)).status, 403)
    assert.equal((await remove(operator.token)).status, 200)
    assert.deepEqual(
      (await instances.ofDeployment('dpl_lost')).map(({ id }) => id),
      ['ins_3'],
    )
    assert.deepEqual(await machines.removed(), new Set(['lost']))
    assert.equal((await remove(operator.token)).status, 404)
  })
})
