import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentTypeOf, isCompressible } from './content-type.ts'

const TYPES: readonly (readonly [string, string, boolean])[] = [
  ['/index.html', 'text/html; charset=utf-8', true],
  ['/a/b.CSS', 'text/css; charset=utf-8', true],
  ['/app.min.js', 'text/javascript; charset=utf-8', true],
  ['/data.json', 'application/json; charset=utf-8', true],
  ['/feed.rss', 'application/rss+xml; charset=utf-8', true],
  ['/logo.svg', 'image/svg+xml; charset=utf-8', true],
  ['/site.webmanifest', 'application/manifest+json; charset=utf-8', true],
  ['/module.wasm', 'application/wasm', true],
  ['/photo.jpg', 'image/jpeg', false],
  ['/font.woff2', 'font/woff2', false],
  ['/movie.mp4', 'video/mp4', false],
  ['/archive.tar.gz', 'application/gzip', false],
  ['/LICENSE', 'text/plain; charset=utf-8', true],
  ['/file', 'application/octet-stream', false],
  ['/file.unknown', 'application/octet-stream', false],
  ['/folder.html/file', 'application/octet-stream', false],
  ['/file.', 'application/octet-stream', false],
  ['/constructor.constructor', 'application/octet-stream', false],
]

for (const [path, type, compressible] of TYPES)
  test(`${path} is ${type}${compressible ? ', compressed' : ''}`, () => {
    assert.equal(contentTypeOf(path), type)
    assert.equal(isCompressible(type), compressible)
  })
