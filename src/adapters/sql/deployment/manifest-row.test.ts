import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_MODE, type ManifestFile } from '#core/deployment/file/manifest.ts'
import { packManifest, toManifest } from './manifest-row.ts'

const file = (n: number): ManifestFile => ({
  path: `a "quoted"/é\u2028😀/${n}\\.html`,
  sha1: n.toString(16).padStart(40, '0'),
  sha256: n % 7 === 3 ? '' : n.toString(16).padStart(64, 'f'),
  size: n * 1_000_003,
  mode: DEFAULT_MODE,
})
const files = (count: number): ManifestFile[] => Array.from({ length: count }, (_, n) => file(n))

/** What earlier versions have stored, and read. */
const columns = (manifest: readonly ManifestFile[], more: object = {}): string =>
  JSON.stringify({
    paths: manifest.map(({ path }) => path),
    sha256s: manifest.map(({ sha256 }) => sha256).join(' '),
    sizes: manifest.map(({ size }) => size),
    ...more,
  })

test('a manifest is packed as ever, whether in one step or in several', async () => {
  for (const count of [0, 1, 2, 5000, 5001, 12_003]) {
    const manifest = files(count)
    const row = await packManifest(manifest)
    assert.equal(row.files, columns(manifest))
    assert.equal(row.sha1s, manifest.map(({ sha1 }) => sha1).join(' '))
    if (count > 0) assert.deepEqual(await toManifest(row), manifest)
  }
})

test('other modes and files that are not served have their places, whichever step they are in', async () => {
  const manifest = files(10_010).map((it, n) => ({
    ...it,
    ...(n === 10_001 ? { mode: 0o100755 } : {}),
    ...(n === 3 || n === 5000 || n === 10_009 ? { hidden: true as const } : {}),
  }))
  const row = await packManifest(manifest)
  assert.equal(
    row.files,
    columns(manifest, { modes: manifest.map(({ mode }) => mode), hidden: [3, 5000, 10_009] }),
  )
  assert.deepEqual(await toManifest(row), manifest)
})
