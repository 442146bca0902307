import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filesOutput, servedInPlace } from './files-only.ts'
import { type Files, manifestOf, planOf, type TaskChanges } from './plan-testing.ts'

const served = async (files: Files, changes?: TaskChanges) => {
  const plan = await planOf(files, changes)
  const { routes, files: out } = filesOutput(plan, manifestOf(files).files)
  return { plan, routes, paths: out.map(({ path }) => path).sort(), out }
}

test('files at their own paths need no output', async () => {
  const { plan } = await served({ 'index.html': '', 'package.json': {} })
  assert.deepEqual([...(servedInPlace(plan, false) ?? [])], ['index.html'])
})

test('rules of the configuration file are in the output', async () => {
  const { plan, routes, paths } = await served({
    'index.html': '',
    'about.html': '',
    'vercel.json': { cleanUrls: true, redirects: [{ source: '/a', destination: '/b' }] },
  })
  assert.equal(servedInPlace(plan, false), undefined)
  assert.deepEqual(paths, ['about', 'index.html'])
  assert.ok(routes?.some((route) => 'status' in route && route.status === 308))
})

test('a folder is served from its own top, with the contents that were uploaded', async () => {
  const { plan, paths, out } = await served({ 'public/a.txt': 'hello', 'readme.md': 'x' })
  assert.equal(servedInPlace(plan, false), undefined)
  assert.deepEqual(paths, ['a.txt'])
  assert.deepEqual(
    out.map(({ sha256, size }) => [sha256, size]),
    manifestOf({ 'public/a.txt': 'hello' }).files.map(({ sha256, size }) => [sha256, size]),
  )
})

test('the rules of a request leave files where they are', async () => {
  const routes = [{ src: '/x', dest: '/index.html' }]
  const { plan } = await served({ 'index.html': '' }, { deployment: { routes } })
  assert.deepEqual([...(servedInPlace(plan, true) ?? [])], ['index.html'])
})
