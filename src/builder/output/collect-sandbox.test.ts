import assert from 'node:assert/strict'
import { chmod } from 'node:fs/promises'
import { it } from 'node:test'
import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import type { RunOptions } from '#builder/environment/workspace.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { finish, rootMissing } from '#test/support/sandbox/sandbox.ts'
import { collectBuildOutput, collectFunctions } from './collect.ts'
import { answerOf, collectionOf, fails, link } from './collect-testing.ts'

const SOURCE = '/vercel/path0'

for (const mode of ['required', 'off'] as const)
  it(`packs in a process of its own, sandbox ${mode}`, {
    skip: mode === 'required' && rootMissing,
  }, async (t) => {
    const sandbox = await openSandbox({ mode, log: createRecordingLog() })
    t.after(() => sandbox.close())
    const run = async ({ argv, env = {}, extraBinds = [] }: RunOptions, source: string) => {
      assert.deepEqual(env, { NODE_OPTIONS: undefined, SECRET: undefined })
      await chmod(source, 0o755)
      const { code, stderr } = await finish(sandbox, argv, {
        cwd: SOURCE,
        binds: [
          { host: source, inside: SOURCE, writable: true },
          { host: process.execPath, inside: '/opt/node/bin/node', writable: false },
          ...extraBinds,
        ],
        limits: { memoryBytes: 2 ** 30 },
      })
      assert.equal(stderr, '')
      return code ?? 1
    }
    const files = {
      'api/a.ts': `import { readFileSync } from 'node:fs'
        export default (_: unknown, res: any) => res.end(readFileSync(__dirname + '/a.txt', 'utf8'))`,
      'api/a.txt': 'packed',
      '.vercel/output/config.json': { version: 3 },
      '.vercel/output/static/x': link('/etc/passwd'),
    }
    const collection = await collectionOf(t, files, run)
    const source = { file: 'api/a.ts', paths: ['api/a'], runtime: 'node', version: '24.x' } as const
    const { programs } = await collectFunctions(collection, {
      functions: [{ ...source, memoryMb: 1024, maxDuration: 60 }],
    })
    const [program] = programs
    assert.equal(await answerOf(t, collection, program ?? assert.fail()), 'packed')
    await assert.rejects(collectBuildOutput(collection), fails('link_leaves_workspace', /"x"/))
  })
