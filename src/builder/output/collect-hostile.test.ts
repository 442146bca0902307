import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { BuildFailure } from '#core/ports/builder.ts'
import { collectStatic } from './collect.ts'
import { collectionOf, fails } from './collect-testing.ts'
import type { Index, IndexProgram } from './inside/job.ts'

const INDEX: Index = {
  contents: [5],
  files: [{ path: 'a.txt', content: 0 }],
  functions: [],
  programs: [],
  notes: [],
}

const PROGRAM: IndexProgram = {
  ...{ runtime: 'node', version: '24.x', shape: 'handler', entry: 'index.js', archive: 0, fileCount: 1 },
  ...{ memoryMb: 128, maxDuration: 10, env: {} },
}

const withProgram = (program: object): object => ({
  ...INDEX,
  functions: [{ path: 'f', program: 0 }],
  programs: [{ ...PROGRAM, ...program }],
})

const withPrerender = (prerender: object): object => ({
  ...INDEX,
  functions: [{ path: 'f', program: 0, prerender: { expiration: 1, passQuery: false, ...prerender } }],
  programs: [PROGRAM],
})

/** Collects from a script that user code has taken over, and that leaves what it wants. */
async function collected(
  t: Parameters<typeof collectionOf>[0],
  leave: (folder: string) => unknown,
  code = 0,
) {
  let folder = ''
  const collection = await collectionOf(t, {}, async ({ argv }) => {
    folder = argv.at(-1) as string
    await writeFile(join(folder, '0'), 'hello')
    await leave(folder)
    return code
  })
  const limits = { files: 10, functions: 10, totalBytes: 10_000_000, programFiles: 10 }
  try {
    return await collectStatic({ ...collection, limits }, { folders: ['x'] })
  } finally {
    assert.deepEqual(await readdir(dirname(folder)), ['source'], 'the results are still there')
  }
}

const index = (value: unknown) => (folder: string) =>
  writeFile(join(folder, 'index.json'), typeof value === 'string' ? value : JSON.stringify(value))

describe('results that user code has written', () => {
  it('are taken where there is nothing wrong with them', async (t) => {
    const output = await collected(t, index(withPrerender({ fallback: { content: 0 } })))
    assert.deepEqual(output?.files, [
      {
        path: 'a.txt',
        sha1: 'aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d',
        sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
        size: 5,
      },
    ])
    assert.equal(output?.functions[0]?.prerender?.fallback?.size, 5)
  })

  const file = (path: string) => ({ ...INDEX, files: [{ path, content: 0 }] })
  const many = (count: number) => ({
    ...INDEX,
    files: Array.from({ length: count }, (_, i) => ({ path: `f${i}`, content: 0 })),
  })
  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ['text that is not JSON', '{', /not JSON/],
    ['another shape', { ...INDEX, files: {} }, /malformed/],
    ['an unknown field', { ...INDEX, more: 1 }, /malformed/],
    ['a path that leaves', file('../x'), /points outside/],
    ['a path that leaves later', file('a/../../x'), /points outside/],
    ['an absolute path', file('/etc/passwd'), /not a path/],
    ['an empty path', file(''), /empty part/],
    ['a path with a line end', file('a\nb'), /not a path/],
    ['a path twice', { ...INDEX, files: [...INDEX.files, ...INDEX.files] }, /twice/],
    ['a content that is not there', { ...INDEX, files: [{ path: 'a', content: 1 }] }, /no content 1/],
    ['a smaller size', { ...INDEX, contents: [4] }, /more than 4 bytes/],
    ['a larger size', { ...INDEX, contents: [6] }, /does not have the announced size/],
    ['a much larger size', { ...INDEX, contents: [2_000_000] }, /does not have the announced size/],
    ['too much in all', { ...INDEX, contents: [10_000_001] }, /more than 10 MB/],
    ['too many files', many(11), /more than 10 files/],
    ['contents for nothing', { ...INDEX, contents: [5, 5] }, /unused contents/],
    [
      'a type with a line end',
      { ...INDEX, files: [{ path: 'a', content: 0, contentType: 'a\r\nb' }] },
      /header/,
    ],
    ['a program that is not there', { ...INDEX, functions: [{ path: 'f', program: 0 }] }, /no program 0/],
    ['an entry that leaves', withProgram({ entry: '../x.js' }), /points outside/],
    ['a command for a handler', withProgram({ command: ['sh'] }), /command/],
    ['a command without one', withProgram({ shape: 'command' }), /command/],
    ['a version of something else', withProgram({ runtime: 'python' }), /another runtime/],
    ['a variable that is none', withProgram({ env: { 'A=B': '1' } }), /variable "A=B"/],
    ['a header that is none', withPrerender({ initialHeaders: { 'a b': '1' } }), /header name/],
    ['a header that is two', withPrerender({ initialHeaders: { a: '1\r\nb: 2' } }), /not a header/],
  ]
  for (const [what, value, message] of wrong)
    it(`are refused with ${what}`, async (t) => {
      await assert.rejects(collected(t, index(value)), fails('invalid_output', message))
    })

  it('are refused with a link in the place of a file', async (t) => {
    const left = async (folder: string) => {
      await index({ ...INDEX, files: [{ path: 'a', content: 1 }, ...INDEX.files], contents: [5, 5] })(folder)
      await symlink('/etc/hostname', join(folder, '1'))
    }
    await assert.rejects(collected(t, left), fails('invalid_output', /1 cannot be opened: ELOOP/))
    const replaced = (folder: string) => symlink('/etc/passwd', join(folder, 'index.json'))
    await assert.rejects(
      collected(t, replaced),
      fails('invalid_output', /index\.json cannot be opened: ELOOP/),
    )
  })

  it('are refused with something to wait for in the place of a file', async (t) => {
    const piped = (folder: string) => execFileSync('mkfifo', [join(folder, 'index.json')])
    await assert.rejects(collected(t, piped), fails('invalid_output', /index\.json is not a file/))
    const nested = (folder: string) => mkdir(join(folder, 'index.json'))
    await assert.rejects(collected(t, nested), fails('invalid_output', /index\.json is not a file/))
  })

  it('are refused with routes that are too deep to look at', async (t) => {
    const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`
    const text = JSON.stringify({ ...INDEX, routes: [{ src: 0 }] }).replace('0}]', `${deep}}]`)
    await assert.rejects(collected(t, index(text)), BuildFailure)
  })

  it('are refused where the script failed or left no index', async (t) => {
    await assert.rejects(collected(t, index(INDEX), 1), fails('invalid_output', /could not be packed/))
    await assert.rejects(
      collected(t, () => {}),
      fails('invalid_output', /cannot be opened: ENOENT/),
    )
  })

  it('cannot put anything but plain text into a message', async (t) => {
    const fault = { code: 'Not a code', message: `\u001b[31mred\nnext\u202e line ${'x'.repeat(5000)}` }
    await assert.rejects(
      collected(t, index({ fault })),
      fails('invalid_output', /^ \[31mred next {2}line x{1900,1990}$/),
    )
  })

  it('are not waited for, and the failure names no command of ours', async (t) => {
    const late = () => {
      throw new BuildFailure('build_timeout', 'Command "/opt/node main.ts" was ended after the 45 minutes')
    }
    await assert.rejects(
      collected(t, late),
      fails('build_timeout', /^Packing the output was ended after the 45 minutes$/),
    )
  })
})
