import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Context } from '#core/access/context.ts'
import type { Purges } from '#core/cache/purges.ts'
import { cacheRoutes } from './routes.ts'

test('several tags in one text are as many as in a list', async () => {
  const asked: (readonly string[] | undefined)[] = []
  const purge: Purges['purge'] = async (_ctx, _project, { tags }) => asked.push(tags)
  const found = cacheRoutes({ purge }).find(({ endpoint }) => endpoint.on.endsWith('/invalidate-by-tags'))
  const query = { projectIdOrName: 'shop' }
  for (const tags of ['posts', 'posts,authors', ' posts, ,authors ', ['posts, authors']])
    await found?.handle({} as Context, { params: {}, query, body: { tags }, headers: {} } as never)
  assert.deepEqual(asked, [['posts'], ['posts', 'authors'], ['posts', 'authors'], ['posts, authors']])
})
