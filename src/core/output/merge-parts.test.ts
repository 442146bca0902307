import assert from 'node:assert/strict'
import { it } from 'node:test'
import { programId } from '#builder/output/program-id.ts'
import { mergeParts } from './merge-parts.ts'
import type { Output, Program } from './output.ts'

const content = (name: string) => ({ sha1: name, sha256: name, size: 1 })
const file = (path: string, name = path) => ({ path, ...content(name) })

const program: Omit<Program, 'id'> = {
  ...{ runtime: 'node', version: '24.x', shape: 'handler', entry: 'a.js', archive: content('tar') },
  ...{ fileCount: 1, memoryMb: 128, maxDuration: 10, env: { A: '1', B: '2' } },
}
const part = (rest: Partial<Output>): Output => ({
  ...{ routes: undefined, files: [], functions: [], programs: [] },
  ...rest,
})

it('gives every path one answer: the later one, and a function rather than a file', () => {
  const programs = ['p', 'q', 'r'].map((id) => ({ ...program, id }))
  const routes = [{ handle: 'filesystem' as const }]
  const merged = mergeParts(
    [
      part({
        functions: [
          { path: 'api/a', program: 'p' },
          { path: 'b', program: 'q' },
        ],
        programs,
      }),
      part({ files: [file('index.html', 'old'), file('api/a')] }),
      part({ files: [file('index.html', 'new')], functions: [{ path: 'b', program: 'r' }], programs }),
    ],
    routes,
  )
  assert.deepEqual(merged, {
    routes,
    files: [file('index.html', 'new')],
    functions: [
      { path: 'api/a', program: 'p' },
      { path: 'b', program: 'r' },
    ],
    programs: [programs[0], programs[2]],
  })
})

it('names a program by all that it is, in whatever order', () => {
  const id = programId(program)
  assert.match(id, /^[0-9a-f]{64}$/)
  const { runtime, ...rest } = program
  assert.equal(programId({ ...rest, runtime, env: { B: '2', A: '1' } }), id)
  assert.notEqual(programId({ ...program, env: { A: '1', B: '3' } }), id)
  assert.notEqual(programId({ ...program, command: ['a'] }), id)
  assert.notEqual(programId({ ...program, archive: content('other') }), id)
})
