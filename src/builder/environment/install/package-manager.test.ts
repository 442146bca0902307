import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { onlyInstalls } from './dependency-digest.ts'
import { calledTools, findPackageManager, type PackageJson } from './package-manager.ts'

const find = (
  files: Readonly<Record<string, string>>,
  {
    root = '',
    nodeVersion = '20.20.2',
    packageJson = {} as PackageJson,
    outerPackageJson = {} as PackageJson,
  } = {},
) =>
  findPackageManager({
    ...{ root, nodeVersion, packageJson, outerPackageJson },
    paths: new Set(Object.keys(files)),
    read: async (path) => files[path] ?? '',
  })

const shown = async (...args: Parameters<typeof find>) => {
  const { name, tool, lock } = await find(...args)
  return [name, tool?.version, lock]
}

const pnpmLock = (version: string) => ({ 'pnpm-lock.yaml': `lockfileVersion: ${version}\n` })

describe('the package manager of a project', () => {
  it('is that of its lock file, and npm without one', async () => {
    assert.deepEqual(await shown({}), ['npm', undefined, undefined])
    assert.deepEqual(await shown({ 'package-lock.json': '{}' }), ['npm', undefined, 'package-lock.json'])
    assert.deepEqual(await shown({ 'yarn.lock': '# yarn lockfile v1\n' }), ['yarn', '1.22.22', 'yarn.lock'])
    assert.deepEqual(await shown({ 'yarn.lock': '__metadata:\n  version: 8\n' }), [
      'yarn',
      '4.18.1',
      'yarn.lock',
    ])
    assert.equal((await shown({ 'yarn.lock': '__metadata:\n  version: 6\n' }))[1], '3.8.7')
    assert.equal((await shown({ 'bun.lock': '' }))[0], 'bun')
  })

  it('has the version that reads the lock file and runs on the Node', async () => {
    const majors: string[] = []
    for (const lock of ['5.3', '5.4', "'6.0'", "'9.0'"]) {
      const [, version] = await shown(pnpmLock(lock))
      majors.push(version?.split('.')[0] ?? '')
    }
    assert.deepEqual(majors, ['6', '7', '8', '9'])
    assert.match(String((await shown(pnpmLock("'9.0'"), { nodeVersion: '16.20.2' }))[1]), /^8\./)
    assert.match(
      String((await shown({ ...pnpmLock("'9.0'"), 'pnpm-workspace.yaml': 'onlyBuiltDependencies:\n' }))[1]),
      /^10\./,
    )
    const later = { 'package-lock.json': '{ "lockfileVersion": 3 }' }
    assert.equal((await shown(later, { nodeVersion: '14.21.3' }))[1], '8.19.4')
    assert.equal((await shown(later, { nodeVersion: '8.10.0' }))[1], undefined)
  })

  it('is the one that package.json names, its own before that of the repository', async () => {
    const pinned = (packageManager: string) => ({ packageJson: { packageManager } })
    assert.deepEqual(await shown({ 'yarn.lock': '' }, pinned('pnpm@8.1.0+sha256.abc')), [
      'pnpm',
      '8.1.0',
      undefined,
    ])
    assert.equal((await shown({ 'yarn.lock': '' }, pinned('pnpm@latest; x')))[0], 'yarn')
    assert.deepEqual(
      await shown(
        { 'pnpm-lock.yaml': '' },
        { root: 'apps/web', outerPackageJson: { packageManager: 'pnpm@9.1.0' } },
      ),
      ['pnpm', '9.1.0', 'pnpm-lock.yaml'],
    )
  })

  it('is found from the folder upwards', async () => {
    const files = { 'yarn.lock': '', 'apps/web/package-lock.json': '', 'other/pnpm-lock.yaml': '' }
    assert.equal((await shown(files, { root: 'apps/web' }))[0], 'npm')
    assert.equal((await shown(files, { root: 'apps/api' }))[0], 'yarn')
  })
})

it('finds the package managers that commands call', () => {
  const names = (lines: readonly string[]) => calledTools(lines, 'npm', '20.20.2').map(({ name }) => name)
  assert.deepEqual(names(['vite build && pnpm run x', 'cd a; yarn']), ['pnpm', 'yarn'])
  assert.deepEqual(names(['echo yarn-lock', 'node bunyan.js', 'npm run x']), [])
  assert.deepEqual(calledTools(['yarn build'], 'yarn', '20.20.2'), [])
})

it('tells lines that do nothing but install from others', () => {
  for (const line of ['npm install', 'npm ci  --legacy-peer-deps', 'pnpm i --frozen-lockfile=false', 'yarn'])
    assert.ok(onlyInstalls(line), line)
  for (const line of [
    'npm install x',
    'npm i && make',
    'npm run install',
    'npm i; x',
    'yarn build',
    'npm i $(x)',
    // Each option that could be read in two ways would double the time.
    `npm i${' --a'.repeat(60)}!`,
  ])
    assert.ok(!onlyInstalls(line), line)
})
