import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BuildLog } from '#core/log/write/build-log.ts'
import { NOTHING_CACHED } from '../cache/project-caches.ts'
import type { NodeToolchain } from '../toolchain/toolchain.ts'
import type { Workspace } from '../workspace.ts'
import { installDependencies } from './install-dependencies.ts'

/** The package managers, with their versions, that are fetched for these files. */
async function toolsFor(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const workspace = {
    task: { files: Object.keys(files).map((path) => ({ path, sha256: path })) },
    restored: NOTHING_CACHED,
    read: async (path: string) => (path in files ? Buffer.from(files[path] as string) : undefined),
    run: async () => ({ code: 0, reason: 'exited' }),
    note: async () => {},
    installed: () => {},
  } as unknown as Workspace
  const fetched: string[] = []
  await installDependencies(
    workspace,
    {
      async ensureTool(name, version) {
        fetched.push(`${name} ${version.split('.')[0]}`)
        return { name, version, folder: '' } as never
      },
    },
    { node: { version: '22.11.0' } as NodeToolchain, log: {} as BuildLog },
  )
  return fetched
}

test('the settings of pnpm are seen behind a long catalog', async () => {
  const files = { 'package.json': '{}', 'pnpm-lock.yaml': "lockfileVersion: '9.0'\n" }
  const catalog = `catalog:\n${Array.from({ length: 200 }, (_, i) => `  '@scope/package-${i}': ^1.0.0\n`).join('')}`
  const packages = "packages:\n  - 'packages/*'\n"
  const overrides = 'overrides:\n  left-pad: 1.3.0\n'
  assert.deepEqual(await toolsFor({ ...files, 'pnpm-workspace.yaml': packages + catalog }), ['pnpm 9'])
  assert.deepEqual(await toolsFor({ ...files, 'pnpm-workspace.yaml': packages + catalog + overrides }), [
    'pnpm 10',
  ])
})
