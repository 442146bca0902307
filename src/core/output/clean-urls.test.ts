import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withCleanUrls } from './clean-urls.ts'

const served = (...paths: readonly string[]) =>
  withCleanUrls(paths.map((path) => ({ path, sha1: '', sha256: '', size: 0 }))).map(({ path }) => path)

test('pages are served without their extension, but for those of folders and for errors', () => {
  assert.deepEqual(served('about.html', 'a/b.html', 'x.css'), ['about', 'a/b', 'x.css'])
  assert.deepEqual(served('index.html', 'a/index.html'), ['index.html', 'a/index.html'])
  assert.deepEqual(served('404.html', '500.html'), ['404.html', '500.html'])
  assert.deepEqual(served('about.html', 'about'), ['about.html', 'about'])
})

test('a page in a folder that is about an error is one as any other', () => {
  assert.deepEqual(served('docs/404.html', 'status/500.html'), ['docs/404', 'status/500'])
})
