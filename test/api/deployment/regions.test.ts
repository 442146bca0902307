import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiSuite } from '#test/support/api-suite.ts'
import type { TestServer } from '#test/support/server.ts'

apiSuite('regions', (server: TestServer) => {
  let names = 0
  const deploy = async (token: string, body: object, config?: object, query = '?forceNew=1') => {
    const files = [
      { file: 'index.html', data: 'page' },
      ...(config ? [{ file: 'vercel.json', data: JSON.stringify(config) }] : []),
    ]
    const answer = await server.call(`POST /v8/platform/deployments${query}`, {
      token,
      body: { version: 2, name: `regions-${names++}`, files, ...body },
    })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }

  test('the request decides, else the file, else the project, else where it was created', async () => {
    const { token } = await server.signUp()
    const project = { name: 'placed', serverlessFunctionRegion: 'hnd1' }
    assert.equal((await server.call('POST /v10/projects', { token, body: project })).status, 200)
    const of = async (body: object, config?: object) => (await deploy(token, body, config)).regions
    assert.deepEqual(await of({}), ['iad1'])
    assert.deepEqual(await of({ name: 'placed' }), ['hnd1'])
    assert.deepEqual(await of({ name: 'placed' }, { regions: ['bru', 'sfo1'] }), ['bru1', 'sfo1'])
    assert.deepEqual(await of({ name: 'placed', regions: ['iad1'] }, { regions: ['bru1'] }), ['iad1'])
    assert.deepEqual(await of({}, { regions: ['cdg1'] }), ['iad1'], 'what is not known here is left out')
    const wrong = await deploy(token, {}, { regions: 'bru1' })
    assert.deepEqual([wrong.readyState, wrong.errorCode], ['ERROR', 'invalid_config'])
  })

  test('the same files for another region are another deployment', async () => {
    const { token } = await server.signUp()
    const name = 'same'
    const first = await deploy(token, { name }, { regions: ['bru1'] }, '')
    const again = await deploy(token, { name }, { regions: ['bru1'] }, '')
    const other = await deploy(token, { name, regions: ['sfo1'] }, { regions: ['bru1'] }, '')
    assert.equal(again.id, first.id)
    assert.notEqual(other.id, first.id)
  })

  test('a build is deployed to where machines answer, in an installation that is in several places', async () => {
    const { token } = await server.signUp()
    const { id } = await deploy(token, { regions: ['hnd1', 'sfo1'] })
    const deployedTo = async () => {
      const { body } = await server.call(`GET /v5/platform/deployments/${id}/builds`, { token })
      return body.builds[0].deployedTo
    }
    assert.deepEqual(await deployedTo(), ['hnd1', 'sfo1'], 'one place stands for all')
    const report = (name: string, origin: string) =>
      server.parts.stores.machines.report({
        ...{
          name,
          origin,
          role: 'work',
          version: '1',
          address: undefined,
          publicAddresses: [],
          load: 0,
          startedAt: 0,
        },
        ...{ memory: { free: 1, total: 2 }, disk: { free: 1, total: 2 } },
      })
    await report('here', 'iad1')
    await report('there', 'hnd1')
    assert.deepEqual(await deployedTo(), ['hnd1'])
  })
})
