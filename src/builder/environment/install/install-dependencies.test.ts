import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BuildLog } from '#core/log/write/build-log.ts'
import { NOTHING_CACHED } from '../cache/project-caches.ts'
import type { NodeToolchain } from '../toolchain/toolchain.ts'
import type { Workspace } from '../workspace.ts'
import { installDependencies } from './install-dependencies.ts'

/** The package managers, with their versions, that are fetched for these files; and what was told to be installed. */
async function install(files: Readonly<Record<string, string>>, root = '') {
  const installs: unknown[] = []
  const workspace = {
    task: { files: Object.keys(files).map((path) => ({ path, sha256: path })) },
    restored: NOTHING_CACHED,
    read: async (path: string) => (path in files ? Buffer.from(files[path] as string) : undefined),
    run: async () => ({ code: 0, reason: 'exited' }),
    note: async () => {},
    installed: (folders: unknown) => installs.push(folders),
  } as unknown as Workspace
  const fetched: string[] = []
  const { how } = await installDependencies(
    workspace,
    {
      async ensureTool(name, version) {
        fetched.push(`${name} ${version.split('.')[0]}`)
        return { name, version, folder: '' } as never
      },
    },
    { node: { version: '22.11.0' } as NodeToolchain, log: {} as BuildLog, root },
  )
  return { fetched, how, installs }
}

const toolsFor = async (files: Readonly<Record<string, string>>): Promise<readonly string[]> =>
  (await install(files)).fetched

test('of a repository of very many packages, that of the project is installed, and anew each time', async () => {
  const of = (count: number) => ({
    ...Object.fromEntries(Array.from({ length: count }, (_, n) => [`packages/p${n}/package.json`, '{}'])),
    'package.json': '{"workspaces":["packages/*","sites/*"]}',
    'package-lock.json': '{}',
    'sites/shop/package.json': '{}',
  })
  const digestOf = (installs: readonly unknown[]) => (installs as readonly { digest: unknown }[])[0]?.digest
  const few = await install(of(150), 'sites/shop')
  assert.deepEqual([few.how, typeof digestOf(few.installs)], ['installed', 'string'])
  const many = await install(of(250), 'sites/shop')
  assert.deepEqual([many.how, digestOf(many.installs)], ['installed', null])
})

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
