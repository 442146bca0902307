import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileRoutes } from '../../routing/read/compile-routes.ts'
import { apiFiles, dynamicRoutes, functionFile } from './api-functions.ts'

const found = (...paths: readonly string[]) => apiFiles(paths).map(({ file }) => file)

test('files below api in a language that is run are functions', () => {
  const all = [
    'api/a.js',
    'api/b.mjs',
    'api/c.cjs',
    'api/d.ts',
    'api/e.mts',
    'api/f.tsx',
    'api/g.py',
    'api/x/y.js',
  ]
  assert.deepEqual(found(...all), all)
})

test('what is hidden, typed only, a dependency, or something else is none', () => {
  assert.deepEqual(
    found(
      'api/_lib.js',
      'api/.x.js',
      'api/_x/y.js',
      'api/t.d.ts',
      'api/node_modules/a/i.js',
      'api/a.json',
      'lib/a.js',
      'apis/a.js',
    ),
    [],
  )
})

test('a function answers with and without its extension, an index also at its folder', () => {
  assert.deepEqual(functionFile('api/hello.ts')?.paths, ['api/hello', 'api/hello.ts'])
  assert.deepEqual(functionFile('api/index.js')?.paths, ['api/index', 'api/index.js', 'api'])
  assert.deepEqual(functionFile('index.js')?.paths, ['index', 'index.js'])
  assert.equal(functionFile('readme.md'), undefined)
})

/** The first rule that takes the path, with its query filled in. */
function taken(path: string, ...files: readonly string[]): string | undefined {
  for (const route of dynamicRoutes(apiFiles(files))) {
    if (!('src' in route)) continue
    const match = new RegExp(route.src).exec(path)
    if (match) return route.dest?.replace(/\$(\d)/g, (_, n) => match[Number(n)] ?? '')
  }
  return undefined
}

test('parameters in names are found in the query', () => {
  assert.equal(taken('/api/users/7', 'api/users/[id].ts'), '/api/users/[id]?id=7')
  assert.equal(taken('/api/users/7/', 'api/users/[id].ts'), '/api/users/[id]?id=7')
  assert.equal(taken('/api/users/7/posts', 'api/users/[id].ts'), undefined)
  assert.equal(taken('/api/a/b/c', 'api/[x]/b/[y].js'), '/api/[x]/b/[y]?x=a&y=c')
  assert.equal(taken('/api/7', 'api/[id]/index.js'), '/api/[id]/index?id=7')
  assert.equal(taken('/api/a/b', 'api/[...path].js'), '/api/[...path]?...path=a/b&path=a/b')
  assert.equal(taken('/api', 'api/[...path].js'), undefined)
  assert.equal(taken('/api', 'api/[[...path]].js'), '/api/[[...path]]?...path=&path=')
})

test('the more exact rule comes first, and all are routes', () => {
  const files = ['api/[...all].js', 'api/[id].js', 'api/users/[id].js', 'api/[a]/[b].js']
  assert.equal(taken('/api/users/1', ...files), '/api/users/[id]?id=1')
  assert.equal(taken('/api/x/1', ...files), '/api/[a]/[b]?a=x&b=1')
  assert.equal(taken('/api/x', ...files), '/api/[id]?id=x')
  assert.equal(taken('/api/x/y/z', ...files), '/api/[...all]?...all=x/y/z&all=x/y/z')
  assert.equal(compileRoutes(dynamicRoutes(apiFiles(files))).ok, true)
})

test('a name with characters of regular expressions stands for itself', () => {
  assert.equal(taken('/api/a.b+c/1', 'api/a.b+c/[id].js'), '/api/a.b+c/[id]?id=1')
  assert.equal(taken('/api/aXbbc/1', 'api/a.b+c/[id].js'), undefined)
})
