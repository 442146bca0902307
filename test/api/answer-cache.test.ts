import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Account, type Answer, startServer, type TestServer } from '#test/support/server.ts'
import { quickFolder } from '#test/support/storage/quick-folder.ts'

describe('answers that are kept, of two processes on one database', () => {
  let folder: string
  let one: TestServer
  let other: TestServer
  let owner: Account

  before(async () => {
    folder = await mkdtemp(join(quickFolder, 'aloft-kept-'))
    one = await startServer({ env: { ALOFT_DATA_DIR: folder } })
    other = await startServer({ env: { ALOFT_DATA_DIR: folder } })
    owner = await one.signUp()
  })
  after(async () => {
    await one?.close()
    await other?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const deploy = async (name: string): Promise<string> => {
    const body = { name, version: 2, files: [{ file: 'index.html', data: 'Hello' }] }
    const made = await one.call('POST /v8/platform/deployments', { token: owner.token, body })
    assert.equal(made.status, 200, JSON.stringify(made.body))
    return made.body.id
  }

  const newToken = async (expiresAt?: number): Promise<{ id: string; bearer: string }> => {
    const body = { name: 'ci', ...(expiresAt === undefined ? {} : { expiresAt }) }
    const made = await one.call('POST /v3/user/tokens', { token: owner.token, body })
    return { id: made.body.token.id, bearer: made.body.bearerToken }
  }

  /** Asked several times, all but the first are sent what is kept. */
  const read = async (server: TestServer, on: string, token: string) => {
    const answers = [
      await server.call(on, { token }),
      await server.call(on, { token }),
      await server.call(on, { token }),
    ]
    const [first, , last] = answers
    assert.deepEqual(last?.body, first?.body)
    assert.equal(last?.status, first?.status)
    const ids = new Set(answers.map(({ headers }) => headers.get('x-request-id')))
    assert.equal(ids.size, 3, 'each has an id of its own')
    const left = answers.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
    assert.equal(left[0], (left[2] ?? 0) + 2, 'each is counted')
    const names = answers.map(({ headers }) => [...headers.keys()].sort().join())
    assert.equal(names[2], names[0], 'and has the same headers')
    assert.ok(last)
    return last
  }

  test('a token that one process revokes is refused by the other at once', async () => {
    const on = `GET /v8/platform/deployments/${await deploy('revoked')}`
    const token = await newToken()
    for (const server of [one, other]) assert.equal((await read(server, on, token.bearer)).status, 200)
    await one.call(`DELETE /v3/user/tokens/${token.id}`, { token: owner.token })
    for (const server of [other, one]) {
      const { status, body } = await server.call(on, { token: token.bearer })
      assert.deepEqual([status, body.error.invalidToken], [403, true])
    }
  })

  test('a token ends at its expiry although nothing is written', async () => {
    const on = `GET /v8/platform/deployments/${await deploy('expires')}`
    const { bearer } = await newToken(one.clock.now() + 1000)
    assert.equal((await read(one, on, bearer)).status, 200)
    one.clock.advance(1000)
    assert.equal((await one.call(on, { token: bearer })).status, 403)
  })

  test('a token that is in use is known to be', async () => {
    const on = `GET /v8/platform/deployments/${await deploy('active')}`
    const token = await newToken()
    const activeAt = async () =>
      (await one.call(`GET /v3/user/tokens/${token.id}`, { token: owner.token })).body.token.activeAt
    await read(one, on, token.bearer)
    const earlier = await activeAt()
    one.clock.advance(2 * 60 * 60 * 1000)
    await one.call(on, { token: token.bearer })
    assert.ok((await activeAt()) > earlier)
  })

  test('what one process changes, the other shows', async () => {
    const id = await deploy('changes')
    const on = `GET /v8/platform/deployments/${id}`
    const list = 'GET /v3/platform/deployments?app=changes'
    const uids = async () =>
      (await read(other, list, owner.token)).body.deployments.map((d: { uid: string }) => d.uid)
    assert.equal((await read(other, on, owner.token)).body.id, id)
    assert.deepEqual(await uids(), [id])
    await one.call('POST /v8/platform/deployments', {
      token: owner.token,
      body: { name: 'changes', version: 2, files: [{ file: 'index.html', data: 'Again' }] },
    })
    assert.equal((await uids()).length, 2)
    await one.call(`DELETE /v8/platform/deployments/${id}`, { token: owner.token })
    assert.equal((await other.call(on, { token: owner.token })).status, 404)
    assert.equal((await uids()).length, 1)
  })

  test('nobody is sent what was kept for another', async () => {
    const stranger = await one.signUp()
    const id = await deploy('private')
    for (const path of ['/v8', '/v2', '']) {
      const on = `GET ${path}/platform/deployments/${id}`
      assert.equal((await read(one, on, owner.token)).status, 200)
      assert.equal((await one.call(on, { token: stranger.token })).status, 403)
      assert.equal((await one.call(on)).status, 403)
      const others = await one.call(`${on}?teamId=team_nobody`, { token: owner.token })
      assert.equal(others.status, 403)
    }
  })
})

test('who has asked too often is refused in the same words', async () => {
  const server = await startServer({ env: { ALOFT_RATE_LIMIT: '4' } })
  try {
    const { token } = await server.signUp()
    const ask = async (on: string) => {
      const answers = []
      for (let n = 0; n < 6; n++) answers.push(await server.call(on, { token }))
      return answers
    }
    const kept = await ask('GET /v3/platform/deployments')
    assert.deepEqual(
      kept.map(({ status }) => status),
      [200, 200, 200, 200, 429, 429],
    )
    const usual = await ask('GET /v2/user')
    // All but the times, which are those of two windows.
    const refusal = ({ headers, body: { error } }: (typeof kept)[number]) => [
      [error.code, error.message, error.limit.remaining, Object.keys(error.limit)],
      [...headers.keys()].sort(),
    ]
    assert.deepEqual(refusal(kept[5] as Answer), refusal(usual[5] as Answer))
  } finally {
    await server.close()
  }
})
