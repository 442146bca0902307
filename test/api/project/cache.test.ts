import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiSuite } from '#test/support/api-suite.ts'

apiSuite('purging what is kept', (server) => {
  test('by tag, path and project, of deployments of the own account', async () => {
    const { token } = await server.signUp()
    const made = await server.call('POST /v8/platform/deployments', {
      token,
      body: { name: 'kept', version: 2, target: 'production', files: [{ file: 'index.html', data: 'x' }] },
    })
    assert.equal(made.status, 200)
    const purge = (body: object) => server.call('POST /v1/projects/kept/cache/purge', { token, body })
    for (const body of [{ tags: ['a'] }, { paths: ['/a'] }, { all: true }, { tags: ['a'], soft: true }]) {
      const answer = await purge(body)
      assert.deepEqual([answer.status, answer.body], [200, { deployments: 1 }], JSON.stringify(answer.body))
    }
    assert.match((await purge({})).body.error.message, /pass `tags`, `paths` or `all`/)
    const query = '?projectIdOrName=kept'
    for (const on of ['invalidate-by-tags', 'dangerously-delete-by-tags'])
      for (const [tags, status] of [
        ['posts', 200],
        [['posts'], 200],
        ['posts, authors', 200],
        [' ,', 400],
        ['t'.repeat(257), 400],
        [',a'.repeat(64), 400],
      ] as const) {
        const answer = await server.call(`POST /v1/edge-cache/${on}${query}`, { token, body: { tags } })
        assert.equal(answer.status, status, String(tags))
      }
    for (const on of ['DELETE /v1/data-cache', 'POST /v1/edge-cache'])
      assert.equal((await server.call(`${on}/purge-all${query}`, { token })).status, 200)
    const { token: foreign } = await server.signUp()
    const other = await server.call('POST /v1/projects/kept/cache/purge', {
      token: foreign,
      body: { all: true },
    })
    assert.equal(other.status, 404)
  })
})
