import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hasNothingToInstall } from './nothing-to-install.ts'

const NOTHING = {
  manager: { name: 'npm', tool: undefined, lock: undefined },
  packages: [
    {
      name: 'shop',
      type: 'module',
      scripts: { build: 'node build.js' },
      engines: { node: '24.x' },
      dependencies: {},
    },
  ],
  paths: ['package.json', 'api/hello.js'],
  variables: ['DATABASE_URL'],
} as const

describe('nothing to install', () => {
  it('is where package.json names no packages', () => {
    assert.equal(hasNothingToInstall(NOTHING), true)
  })

  for (const [what, different] of Object.entries({
    'a dependency': { packages: [{ dependencies: { ms: '2.1.3' } }] },
    'a dependency of development': { packages: [{ devDependencies: { ms: '2.1.3' } }] },
    'a dependency of a package above': { packages: [{}, { dependencies: { ms: '2.1.3' } }] },
    'something else than a list of dependencies': { packages: [{ dependencies: 'ms' }] },
    workspaces: { packages: [{ workspaces: ['packages/*'] }] },
    'a runtime that npm insists on': { packages: [{ devEngines: { runtime: { name: 'node' } } }] },
    'a script of the installation': { packages: [{ scripts: { postinstall: 'node make.js' } }] },
    'a lock file': { manager: { ...NOTHING.manager, lock: 'package-lock.json' } },
    'an npm that is asked for': {
      manager: { ...NOTHING.manager, tool: { name: 'npm', version: '10.9.9' } },
    },
    'another package manager': { manager: { ...NOTHING.manager, name: 'pnpm' } },
    'settings of npm': { paths: ['package.json', '.npmrc'] },
    'variables that are settings of npm': { variables: ['NPM_CONFIG_INCLUDE'] },
    'something to compile': { paths: ['package.json', 'binding.gyp', 'addon.c'] },
    'packages among the files': { paths: ['package.json', 'node_modules/ms/index.js'] },
  } as const))
    it(`is not where there is ${what}`, () => {
      assert.equal(hasNothingToInstall({ ...NOTHING, ...different }), false)
    })
})
