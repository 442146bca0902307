import assert from 'node:assert/strict'
import { it } from 'node:test'
import { matchRoutes } from '#core/routing/match/match-routes.ts'
import { compileOutputRoutes } from '#core/routing/read/compile-output-routes.ts'
import { withImages } from './image-routes.ts'

const site = { find: (path: string) => (/\/a b\.png$/.test(path) ? 'image' : undefined) }

function answerTo(url: string): string {
  const routes = [{ src: '/private/.*', status: 403 }, { handle: 'filesystem' as const }]
  const compiled = compileOutputRoutes(withImages(routes))
  assert.ok(compiled.ok, JSON.stringify(compiled))
  const [path = '', query = ''] = url.split('?')
  const outcome = matchRoutes(compiled.table, { method: 'GET', path, query }, site)
  return outcome.kind === 'serve' ? outcome.foundAt : outcome.kind
}

it('answers a request for an image in some size with the image', () => {
  assert.equal(answerTo('/_next/image?url=%2Fimg%2Fa%20b.png&w=640&q=75'), '/img/a b.png')
  assert.equal(answerTo('/docs/_next/image?url=/img/a%20b.png&w=640'), '/img/a b.png')
  assert.equal(answerTo('/_vercel/image?w=640&url=/img/a%20b.png'), '/img/a b.png')
})

it('leads past no rule about the image itself', () => {
  assert.equal(answerTo('/private/a%20b.png'), 'empty')
  assert.equal(answerTo('/_next/image?url=/private/a%20b.png'), 'empty')
})

it('fetches nothing from elsewhere', () => {
  for (const url of ['https://example.com/a b.png', '//example.com/a b.png', '/\\example.com/a b.png', ''])
    assert.equal(answerTo(`/_next/image?w=640&url=${encodeURIComponent(url)}`), 'not-found', url)
})
