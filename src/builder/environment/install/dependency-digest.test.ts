import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dependencyDigest } from './dependency-digest.ts'

const digestOf = (...paths: readonly string[]) =>
  dependencyDigest({
    files: ['package.json', 'package-lock.json', ...paths].map((path) => ({
      ...{ path, sha1: '', sha256: path, size: 1, mode: 0o100644 },
    })),
    packages: new Map([['', { dependencies: { ms: '2.1.3' } }]]),
    manager: { name: 'npm', tool: undefined, lock: 'package-lock.json' },
    ...{ nodeVersion: '24.1.0', machine: 'linux-x64', root: '', command: 'npm install' },
  })

describe('the digest of dependencies', () => {
  it('does not change with files that no installation reads', () => {
    assert.notEqual(digestOf(), null)
    assert.equal(digestOf('addon.c', 'vendor/library/binding.gyp'), digestOf())
    assert.notEqual(digestOf('.npmrc'), digestOf())
  })

  it('is none where an installation compiles the sources of the project', () => {
    assert.equal(digestOf('addon.c', 'binding.gyp'), null)
  })
})
