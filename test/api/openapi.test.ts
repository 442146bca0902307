import assert from 'node:assert/strict'
import { test } from 'node:test'
import { methodOf, pathOf } from '#contract/endpoint.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { listEndpoints } from '#test/support/endpoints.ts'

apiSuite('the description', (server) => {
  test('every endpoint of the contract is mounted and described', async () => {
    const { body } = await server.call('GET /openapi.json')
    assert.equal(body.openapi, '3.1.0')
    const described = Object.entries(body.paths).flatMap(([path, item]) =>
      Object.keys(item as object).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const declared = listEndpoints()
      .filter((row) => !row.page)
      .map((row) => `${methodOf(row)} ${pathOf(row).replace(/:(\w+)/g, '{$1}')}`)
    assert.deepEqual(described.sort(), declared.sort())
    const ids = Object.values(body.paths).flatMap((item) =>
      Object.values(item as object).map((operation) => operation.operationId),
    )
    assert.equal(new Set(ids).size, ids.length)
  })
})
