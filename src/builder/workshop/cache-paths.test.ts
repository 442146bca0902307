import assert from 'node:assert/strict'
import { it } from 'node:test'
import { cachePaths } from './cache-paths.ts'

it('names the folders of a pattern', () => {
  assert.deepEqual(cachePaths('.next/cache/**'), ['.next/cache'])
  assert.deepEqual(cachePaths('{.cache,public}/**', 'apps/web'), ['apps/web/.cache', 'apps/web/public'])
  assert.deepEqual(cachePaths('{vendor/bin,vendor/cache}/**'), ['vendor/bin', 'vendor/cache'])
})

it('names none of other patterns, nor any outside', () => {
  for (const pattern of ['', '**', '*.js', 'a/*/b/**', '../x/**', '/etc/**', '{../a,/b}/**'])
    assert.deepEqual(cachePaths(pattern), [], pattern)
})
