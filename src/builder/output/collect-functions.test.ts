import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Output, Program } from '#core/output/output.ts'
import { collectApp, collectFunctions, collectStatic } from './collect.ts'
import {
  answerOf,
  collectionOf,
  type Fixture,
  fails,
  link,
  type TestCollection,
  unpacked,
} from './collect-testing.ts'
import type { FunctionSource } from './inside/job.ts'

const node = (file: string, rest: Partial<FunctionSource> = {}): FunctionSource => ({
  ...{ file, paths: [file.replace(/\.\w+$/, '')], runtime: 'node', version: '24.x' },
  ...{ memoryMb: 1024, maxDuration: 60 },
  ...rest,
})

const first = ({ programs: [program] }: Output): Program => program ?? assert.fail('no program')

const namesIn = async (collection: TestCollection, program: Program): Promise<string[]> =>
  Object.keys(await unpacked(collection, program))

const PACKAGE: Fixture = {
  'node_modules/greet/package.json': { name: 'greet', main: 'lib/main.js' },
  'node_modules/greet/lib/main.js': 'module.exports = (name) => "Hi " + name',
  'node_modules/greet/unused.js': '',
  'node_modules/other/index.js': '',
}

describe('collectFunctions', () => {
  it('compiles TypeScript in its place, with paths, assets and packages', async (t) => {
    const collection = await collectionOf(t, {
      ...PACKAGE,
      'package.json': {},
      'tsconfig.json': { compilerOptions: { paths: { '@/*': ['./lib/*'] } } },
      'api/hello.ts': `
        import greet from 'greet'
        import { name } from '@/name'
        import { here } from '../lib/here.js'
        import data from '../data/d.json'
        export default (req: unknown, res: { end(t: string): void }) => res.end([greet(name), here(), data.n].join())`,
      'lib/name.ts': `export const enum Names { A = 'Ada' }
        export const name: string = Names.A`,
      'lib/here.ts': `import { readFileSync } from 'node:fs'
        import { join } from 'node:path'
        export const here = () => readFileSync(join(__dirname, '../data/here.txt'), 'utf8') +
          readFileSync(new URL('../data/url.txt', import.meta.url), 'utf8')`,
      'data/d.json': { n: 7 },
      'data/here.txt': 'here',
      'data/url.txt': 'url',
      'data/more.txt': 'more',
      'data/less.txt': 'less',
      '.env': 'SECRET=1',
      'test/hello.test.ts': '',
    })
    const output = await collectFunctions(collection, {
      functions: [
        node('api/hello.ts', {
          paths: ['api/hello', 'api/hello.ts'],
          includeFiles: ['data/*', '.env'],
          excludeFiles: ['data/less.txt'],
        }),
      ],
    })
    const program = first(output)
    assert.deepEqual(await namesIn(collection, program), [
      ...['api/hello.js', 'data/d.json', 'data/here.txt', 'data/more.txt', 'data/url.txt'],
      ...['lib/here.js', 'lib/name.js'],
      ...['node_modules/greet/lib/main.js', 'node_modules/greet/package.json', 'package.json'],
    ])
    assert.equal(program.entry, 'api/hello.js')
    assert.deepEqual(
      output.functions.map(({ path, program: id }) => [path, id]),
      [
        ['api/hello', program.id],
        ['api/hello.ts', program.id],
      ],
    )
    assert.equal(await answerOf(t, collection, program), 'Hi Ada,hereurl,7')
  })

  it('includes and excludes files by patterns, those that begin with a dot as well', async (t) => {
    const collection = await collectionOf(t, {
      'api/a.js': 'module.exports = 1',
      'data/one.txt': '',
      'data/.two': '',
      'data/.hidden/three.txt': '',
      'data/.hidden/.left': '',
      'data/.env': 'SECRET=1',
      'data/.git/config': '',
      'data/folder': link('.hidden'),
      'data/[id]/four.txt': '',
      'elsewhere/five.txt': '',
    })
    const included = async (includeFiles: readonly string[], excludeFiles: readonly string[] = []) => {
      const output = await collectFunctions(collection, {
        functions: [node('api/a.js', { includeFiles, excludeFiles })],
      })
      return (await namesIn(collection, first(output)))
        .filter((name) => name !== 'api/a.js')
        .map((name) => name.replace('data/', ''))
    }
    const all = ['.hidden/.left', '.hidden/three.txt', '.two', '[id]/four.txt', 'folder', 'one.txt']
    assert.deepEqual((await included(['data/**'])).toSorted(), all.toSorted())
    assert.deepEqual(await included(['data/**', './data/**/*'], ['**/.*/**', 'data/folder', '**/*.txt']), [
      '.two',
    ])
    assert.deepEqual(await included(['data/*'], ['data/folder']), ['.two', 'one.txt'])
    assert.deepEqual(await included(['data/**'], ['data/.hidden', 'data/f*']), [
      '.two',
      '[id]/four.txt',
      'one.txt',
    ])
    assert.deepEqual(await included(['**/.hidden/*.txt']), ['.hidden/three.txt'])
    assert.deepEqual(await included(['data/*/three.txt']), ['.hidden/three.txt', 'folder/three.txt'])
    assert.deepEqual(await included(['data/{[id]/four,one}.txt']), ['[id]/four.txt', 'one.txt'])
    assert.deepEqual(await included(['data/none/**', 'data/none.txt', 'data']), [])
  })

  it('includes by `**` neither what tools keep for themselves nor links that lead elsewhere', async (t) => {
    const collection = await collectionOf(t, {
      'api/a.js': 'module.exports = 1',
      '.venv/bin/python': link('/usr/bin/env'),
      '.venv/lib/x.py': '',
      '.next/cache/webpack/0.pack': '',
      '.next/server/page.html': '',
      '.turbo/log': '',
      '.yarn/cache/x.zip': '',
      'node_modules/.cache/x': '',
      'data/shell': link('/bin/sh'),
      'data/up': link('../../../..'),
      'data/gone': link('nowhere'),
      'cache/kept.txt': '',
      '.eslintcache': '',
    })
    const included = async (...includeFiles: readonly string[]) =>
      (
        await namesIn(
          collection,
          first(await collectFunctions(collection, { functions: [node('api/a.js', { includeFiles })] })),
        )
      ).filter((name) => name !== 'api/a.js')
    assert.deepEqual((await included('**')).toSorted(), [
      ...['.eslintcache', '.next/server/page.html', 'cache/kept.txt'],
    ])
    const leads = (path: string) => `"${path}" links outside of the deployment's files and was skipped`
    assert.deepEqual(collection.logged.toSorted(), [leads('data/shell'), leads('data/up')])
    assert.deepEqual(await included('.next/cache/**', '**/.turbo/*', '.venv/**', 'data/shell'), [
      ...['.next/cache/webpack/0.pack', '.turbo/log', '.venv/lib/x.py'],
    ])
  })

  it('leaves modules modules and takes them for older Nodes where no package says so', async (t) => {
    const collection = await collectionOf(t, {
      'a/package.json': { type: 'module' },
      'a/m.ts': `import { n } from './n'
        import j from './j.json'
        export default (_: unknown, res: any) => res.end(import.meta.url.slice(-4) + n + j.x)`,
      'a/n.ts': 'export const n = await Promise.resolve(1)',
      'a/j.json': { x: 2 },
      'b/m.js': `import { n } from './n'
        export default (req, res) => res.end(n)`,
      'b/n.jsx': 'export const n = 1',
      'b/wait.ts': 'const n = await 3; export default (_: unknown, res: any) => res.end(n)',
      'b/plain.js': 'module.exports = (req, res) => res.end("plain")',
    })
    const files = ['a/m.ts', 'b/m.js', 'b/wait.ts', 'b/plain.js']
    const { programs } = await collectFunctions(collection, { functions: files.map((file) => node(file)) })
    assert.deepEqual(
      programs.map(({ entry }) => entry),
      ['a/m.js', 'b/m.js', 'b/wait.mjs', 'b/plain.js'],
    )
    const answers = await Promise.all(programs.map((program) => answerOf(t, collection, program)))
    assert.deepEqual(answers, ['m.js12', '1', '3', 'plain'])
  })

  it('leaves sources alone that are only read', async (t) => {
    const script = 'export const forBrowsers = 1'
    const collection = await collectionOf(t, {
      'api/page.ts': `import { readFileSync } from 'node:fs'
        export default (_: unknown, res: any) =>
          res.end(readFileSync(__dirname + '/client.js', 'utf8') + readFileSync(__dirname + '/film.ts', 'utf8'))`,
      'api/client.js': script,
      'api/film.ts': 'G@ no source',
    })
    const program = first(await collectFunctions(collection, { functions: [node('api/page.ts')] }))
    assert.equal(await answerOf(t, collection, program), `${script}G@ no source`)
  })

  it('reaches packages beside the root, and keeps the links to them', async (t) => {
    const collection = await collectionOf(t, {
      'node_modules/.store/greet/index.js': 'module.exports = "hi"',
      'node_modules/greet': link('.store/greet'),
      'node_modules/@acme/lib': link('../../packages/lib'),
      'packages/lib/package.json': { name: '@acme/lib', main: 'src/main.ts' },
      'packages/lib/src/main.ts': 'export const lib: string = "lib"',
      'apps/web/api/a.ts': `import greet from 'greet'
        import { lib } from '@acme/lib'
        export default (_: unknown, res: any) => res.end(greet + lib)`,
    })
    const output = await collectFunctions(collection, { root: 'apps/web', functions: [node('api/a.ts')] })
    const program = first(output)
    assert.equal(program.entry, 'apps/web/api/a.js')
    assert.equal((await unpacked(collection, program))['node_modules/greet'], '→ .store/greet')
    assert.equal(await answerOf(t, collection, program), 'hilib')
  })

  it('bundles functions for the edge, and heeds what sources say of themselves', async (t) => {
    const collection = await collectionOf(t, {
      ...PACKAGE,
      'api/edge.ts': `import greet from 'greet'
        export const config = { runtime: 'edge' as const }
        export default () => new Response(greet('x'))`,
      'api/long.js': 'export const config = { maxDuration: 300, memory: 2048 }\nexport default () => {}',
    })
    const { programs } = await collectFunctions(collection, {
      functions: [node('api/edge.ts', { version: '18.x' }), node('api/long.js')],
    })
    const [edge, long] = programs
    assert.deepEqual([edge?.shape, edge?.version, edge?.entry], ['edge', '24.x', 'api/edge.mjs'])
    assert.deepEqual(await namesIn(collection, edge ?? assert.fail()), ['api/edge.mjs'])
    assert.deepEqual([long?.shape, long?.maxDuration, long?.memoryMb], ['handler', 300, 2048])
  })

  it('says of every line of code from which line of which source it is', async (t) => {
    const collection = await collectionOf(t, {
      'package.json': {},
      'api/hello.ts': "import { greet } from '../dist/greet'\nexport default () => greet()",
      'api/edge.ts': "export const config = { runtime: 'edge' }\nexport default () => new Response('')",
      'dist/greet.js': 'exports.greet = () => "hi"\n//# sourceMappingURL=greet.js.map',
      'dist/greet.js.map': { version: 3, sources: ['../lib/greet.ts'], names: [], mappings: 'AAAA' },
      'dist/other.js.map': {},
    })
    const { programs } = await collectFunctions(collection, {
      functions: [node('api/hello.ts'), node('api/edge.ts')],
    })
    const code = Object.assign({}, ...(await Promise.all(programs.map((one) => unpacked(collection, one)))))
    assert.deepEqual(
      Object.keys(code).filter((name) => name.endsWith('.map')),
      ['dist/greet.js.map'],
    )
    const sourcesIn = (name: string) => {
      const [, map = ''] = code[name]?.split('//# sourceMappingURL=data:application/json;base64,') ?? []
      return JSON.parse(Buffer.from(map, 'base64').toString()).sources
    }
    assert.deepEqual(sourcesIn('api/hello.js'), ['hello.ts'])
    assert.deepEqual(sourcesIn('api/edge.mjs'), ['edge.ts'])
  })

  it('gives Python the whole root', async (t) => {
    const collection = await collectionOf(t, {
      'site/api/a.py': 'import util',
      'site/api/b.py': '',
      'site/util.py': '',
      'site/data.csv': '1',
      'site/_vendor/flask/__init__.py': '',
      'site/__pycache__/util.pyc': '',
      'site/_vendor/flask/__pycache__/__init__.pyc': 'compiled',
      'site/.venv/bin/python': link('/usr/bin/python3'),
      'site/python': link('/usr/bin/python3'),
      'site/.next/cache/webpack/0.pack': '',
      'site/.turbo/log': '',
      'site/cache/kept.txt': '',
      'site/node_modules/x/index.js': '',
      'site/.env': 'SECRET=1',
    })
    const python = (file: string) => node(file, { runtime: 'python', version: '3.11' })
    const output = await collectFunctions(collection, {
      root: 'site',
      functions: [python('api/a.py'), python('api/b.py')],
    })
    const [a, b] = output.programs
    assert.deepEqual([a?.entry, b?.entry, a?.runtime], ['api/a.py', 'api/b.py', 'python'])
    assert.deepEqual(a?.archive, b?.archive)
    assert.notEqual(a?.id, b?.id)
    const sources = [
      '_vendor/flask/__init__.py',
      'api/a.py',
      'api/b.py',
      'cache/kept.txt',
      'data.csv',
      'util.py',
    ]
    assert.deepEqual(
      (await namesIn(collection, a ?? assert.fail())).toSorted(),
      ['_vendor/flask/__pycache__/__init__.pyc', ...sources].toSorted(),
    )
    assert.match(String(collection.logged), /"python" links outside/)
    const within = (limits: object) =>
      collectFunctions({ ...collection, limits }, { root: 'site', functions: [python('api/a.py')] })
    const [small = assert.fail()] = (await within({ programFiles: sources.length })).programs
    assert.deepEqual(await namesIn(collection, small), sources)
    await assert.rejects(within({ programFiles: 4 }), fails('too_many_files', /more than 4 files/))
  })

  it('gives Python the packages of its folder and of those above, and none of another list', async (t) => {
    const collection = await collectionOf(t, {
      'api/a/x.py': '',
      'api/a/_vendor/one/__init__.py': '',
      'api/a/_vendor/one/__pycache__/__init__.pyc': 'compiled',
      'api/b/y.py': '',
      'api/b/_vendor/one/__init__.py': '2',
      'lib/_vendor/own.py': '',
      '_vendor/all.py': '',
    })
    const python = (file: string) => node(file, { runtime: 'python', version: '3.11' })
    const { programs } = await collectFunctions(collection, {
      functions: [python('api/a/x.py'), python('api/b/y.py')],
      packages: ['_vendor', 'api/a/_vendor', 'api/b/_vendor'],
    })
    const names = await Promise.all(programs.map((program) => namesIn(collection, program)))
    const [both, of] = [
      ['_vendor/all.py', 'api/a/x.py', 'api/b/y.py', 'lib/_vendor/own.py'],
      'one/__init__.py',
    ]
    const compiled = 'api/a/_vendor/one/__pycache__/__init__.pyc'
    assert.deepEqual(names[0]?.toSorted(), [...both, `api/a/_vendor/${of}`, compiled].toSorted())
    assert.deepEqual(names[1]?.toSorted(), [...both, `api/b/_vendor/${of}`].toSorted())
  })

  it('says what is wrong with a source', async (t) => {
    const collection = await collectionOf(t, {
      'api/bad.ts': 'export default (',
      'api/out.js': link('/etc/passwd'),
    })
    const pack = (file: string) => collectFunctions(collection, { functions: [node(file)] })
    await assert.rejects(
      pack('api/bad.ts'),
      fails('compile_failed', /api\/bad\.ts:1.*Unexpected end of file/),
    )
    await assert.rejects(pack('api/none.ts'), fails('missing_function', /"api\/none\.ts"/))
    await assert.rejects(pack('api/out.js'), fails('link_leaves_workspace', /"api\/out\.js"/))
    await assert.rejects(pack('../x.js'), fails('path_leaves_workspace', /"\.\.\/x\.js"/))
  })
})

describe('collectApp', () => {
  const app: Fixture = {
    ...PACKAGE,
    'package.json': { scripts: { start: 'node server.js' } },
    'server.js': 'require("greet"); module.exports = (req, res) => res.end("app")',
    'views/a.html': '<p>',
    '.env.local': 'SECRET=1',
    '.git/config': '',
  }

  it('packs everything for a command', async (t) => {
    const collection = await collectionOf(t, {
      ...app,
      'node_modules/.bin/greet': link('../greet/lib/main.js'),
    })
    const program = first(
      await collectApp(collection, {
        paths: ['index'],
        version: '12.x',
        start: { command: ['npm', 'start'] },
      }),
    )
    assert.deepEqual([program.shape, program.command, program.entry], ['command', ['npm', 'start'], ''])
    assert.deepEqual(await namesIn(collection, program), [
      ...['node_modules/.bin/greet', 'node_modules/greet/lib/main.js', 'node_modules/greet/package.json'],
      ...['node_modules/greet/unused.js', 'node_modules/other/index.js'],
      ...['package.json', 'server.js', 'views/a.html'],
    ])
  })

  it('packs its own files and the packages that it needs for an entry', async (t) => {
    const collection = await collectionOf(t, {
      ...app,
      'dist/assets/node_modules/icons/a.ttf': '',
      'sub/package.json': '{}',
      'sub/node_modules/unused/index.js': '',
    })
    const output = await collectApp(collection, {
      ...{ paths: ['index'], version: '24.x', env: { A: '1' } },
      start: { entries: ['dist/server.js', 'server.js'] },
    })
    const program = first(output)
    assert.deepEqual([program.shape, program.entry, program.env], ['handler', 'server.js', { A: '1' }])
    assert.deepEqual(await namesIn(collection, program), [
      'dist/assets/node_modules/icons/a.ttf',
      ...['node_modules/greet/lib/main.js', 'node_modules/greet/package.json'],
      ...['package.json', 'server.js', 'sub/package.json', 'views/a.html'],
    ])
    assert.equal(await answerOf(t, collection, program), 'app')
  })
})

describe('collectStatic', () => {
  it('takes the first folder that has files, but for what is not to be served', async (t) => {
    const collection = await collectionOf(t, {
      'dist/.env': 'SECRET=1',
      'public/index.html': '<p>',
      'public/.well-known/security.txt': 'x',
      'public/.git/config': '',
      'public/api/a.js': '',
      'public/404.html': '',
    })
    const folders = ['missing', 'dist', 'public']
    const output = await collectStatic(collection, { folders, prefix: 'docs', exclude: ['api/**'] })
    assert.deepEqual(
      output?.files.map(({ path }) => path),
      ['docs/.well-known/security.txt', 'docs/404.html', 'docs/index.html'],
    )
    assert.deepEqual(collection.logged, ['The files in "public" are served'])
    assert.equal(await collectStatic(collection, { folders: ['dist'], optional: true }), undefined)
    await assert.rejects(collectStatic(collection, { folders: ['dist'] }), fails('missing_output', /"dist"/))
    await assert.rejects(
      collectStatic(collection, { folders: ['/etc'] }),
      fails('path_leaves_workspace', /etc/),
    )
  })

  it('leaves out what a package depends on, and no other folder of that name', async (t) => {
    const collection = await collectionOf(t, {
      'index.html': '',
      'node_modules/a/index.js': '',
      'dist/index.html': '',
      'dist/node_modules/font.ttf': '',
      'dist/assets/node_modules/icons/a.ttf': '',
      'dist/linked': link('assets'),
      'dist/server/package.json': '{}',
      'dist/server/node_modules/b/index.js': '',
    })
    const pathsOf = async (folder: string) =>
      (await collectStatic(collection, { folders: [folder] }))?.files.map(({ path }) => path)
    const served = [
      ...['assets/node_modules/icons/a.ttf', 'index.html', 'linked/node_modules/icons/a.ttf'],
      ...['node_modules/font.ttf', 'server/package.json'],
    ]
    assert.deepEqual(await pathsOf('dist'), served)
    const all = ['index.html', ...served.map((path) => `dist/${path}`)]
    assert.deepEqual((await pathsOf(''))?.toSorted(), all.toSorted())
  })

  it('refuses patterns that nothing bounds', async (t) => {
    const collection = await collectionOf(t, { 'public/index.html': '<p>' })
    await assert.rejects(
      collectStatic(collection, { folders: ['public'], exclude: ['{a,b}'.repeat(14)] }),
      fails('invalid_pattern', /cannot be used as a pattern: its braces expand/),
    )
  })
})
