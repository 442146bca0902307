import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import fastify, { type FastifyReply } from 'fastify'
import { createRouter } from './router.ts'

const TABLE = [
  'GET /',
  'GET /v1/teams',
  'POST /v1/teams',
  'GET /v1/teams/:id',
  'GET /v1/teams/new',
  'GET /v1/teams/:id/members',
  'GET /v1/teams/new/draft',
  'PATCH /v1/teams/:teamId/members/:userId',
  'GET /v1/:thing/list',
  'GET /:generation/teams/:id/members/:userId/roles',
  'DELETE /v1/a.b-c_d',
]

const router = createRouter(TABLE.map((on) => [on, on]))
const find = (method: string, url: string) => {
  const found = router.find(method, url)
  return found && [found.value, found.params]
}

test('a word goes before a name, and a name is tried when the word leads nowhere', () => {
  assert.deepEqual(find('GET', '/v1/teams/new'), ['GET /v1/teams/new', {}])
  assert.deepEqual(find('GET', '/v1/teams/new/members'), ['GET /v1/teams/:id/members', { id: 'new' }])
  assert.deepEqual(find('GET', '/v1/teams/list'), ['GET /v1/teams/:id', { id: 'list' }])
  assert.deepEqual(find('GET', '/v1/teams/x/members/y/roles'), [
    'GET /:generation/teams/:id/members/:userId/roles',
    { generation: 'v1', id: 'x', userId: 'y' },
  ])
})

test('HEAD is what GET is, other methods only themselves', () => {
  assert.deepEqual(find('HEAD', '/v1/teams/'), ['GET /v1/teams', {}])
  assert.equal(find('PUT', '/v1/teams'), undefined)
})

test('what is encoded is decoded in its own part', () => {
  assert.deepEqual(find('GET', '/v1/teams/a%2Fb%25?x=/y'), ['GET /v1/teams/:id', { id: 'a/b%' }])
})

test('a row that is there twice, and a part that is no word and no name, are mistakes of ours', () => {
  assert.throws(() => createRouter([...TABLE, 'GET /v1/teams/:other'].map((on) => [on, on])), /twice/)
  assert.throws(() => createRouter([['GET /v1/x*', 1]]), /part/)
})

test('every address leads where the router of Fastify takes it', async (t) => {
  const app = fastify({
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: true },
    frameworkErrors: (_error, _request, reply: FastifyReply) => void reply.code(400).send('malformed'),
  })
  t.after(() => app.close())
  for (const on of TABLE) {
    const [method = '', url = ''] = on.split(' ')
    app.route({ method, url, handler: (request) => ({ on, params: request.params }) })
  }
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({}))
  await app.ready()
  const words = ['v1', 'teams', 'new', 'members', 'list', 'draft', 'roles', 'a.b-c_d', 'x', '']
  const odd = [
    '%74eams',
    'a%2Fb',
    '%2525',
    'é',
    '%C3%A9',
    '%3A',
    ':id',
    'a;b',
    'a+b',
    '%00',
    'y'.repeat(4097),
  ]
  const part = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...words) }, fc.constantFrom(...odd))
  const url = fc
    .tuple(fc.array(part, { maxLength: 7 }), fc.constantFrom('', '/', '//', '?a=/b', '#x', '/?'))
    .map(([parts, end]) => `/${parts.join('/')}${end}`)
  const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'PUT')
  await fc.assert(
    fc.asyncProperty(method, url, async (asked, address) => {
      const path = encodeURI(address).replaceAll('%25', '%')
      const { statusCode, body } = await app.inject({ method: asked, url: path })
      if (statusCode === 400) return assert.throws(() => router.find(asked, path), URIError)
      const found = router.find(asked, path)
      if (statusCode === 404) return assert.equal(found, undefined, `${asked} ${path}`)
      assert.equal(statusCode, 200)
      if (asked === 'HEAD') return assert.ok(found)
      assert.deepEqual(
        { on: found?.value, params: { ...found?.params } },
        JSON.parse(body),
        `${asked} ${path}`,
      )
    }),
    { numRuns: 1500 },
  )
})
