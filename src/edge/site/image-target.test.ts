import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imageTarget } from './image-target.ts'

const ask = (url: string, rest = '&w=640&q=75') => imageTarget(`url=${encodeURIComponent(url)}${rest}`)

test('an image of the site is named by its path, with its own query', () => {
  assert.equal(ask('/images/a.png')?.path, '/images/a.png')
  assert.equal(ask('/api/og?title=x%20y')?.query, 'title=x%20y')
  assert.equal(ask('/im%20ages/a.png')?.path, '/im ages/a.png')
  assert.equal(ask('/images/ä.png')?.path, '/images/ä.png')
  assert.equal(ask('/a.png', '&w=640')?.path, '/a.png')
  assert.equal(ask('/../../etc/passwd')?.path, '/etc/passwd')
})

for (const [url, rest] of [
  ['https://example.com/a.png'],
  ['//example.com/a.png'],
  ['/\\example.com/a.png'],
  ['a.png'],
  [''],
  ['/_vercel/image?url=/a.png&w=1'],
  ['/a.png', ''],
  ['/a.png', '&w=0'],
  ['/a.png', '&w=99999'],
  ['/a.png', '&w=1e3'],
  ['/a.png', '&w=640&q=101'],
  ['/a.png', '&w=640&q=-1'],
  ['/a%00.png'],
] as const)
  test(`no image is at ${JSON.stringify([url, rest])}`, () => {
    assert.equal(ask(url, rest), undefined)
  })
