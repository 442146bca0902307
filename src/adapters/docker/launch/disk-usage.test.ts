import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import type { Engine } from '../engine/engine.ts'
import { diskUsageOf } from './disk-usage.ts'

const engineWith = (volumes: readonly { Name: string; Source: string }[]) =>
  ({
    container: () =>
      Promise.resolve({ SizeRw: 100, Mounts: volumes.map((volume) => ({ Type: 'volume', ...volume })) }),
    volumeBytes: (names: readonly string[]) => Promise.resolve(names.length * 7),
  }) as unknown as Engine

it('counts what is in the volumes of a container, in bytes and in files', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-written-'))
  t.after(() => rm(folder, { recursive: true }))
  const volumes = ['a', 'b'].map((Name) => ({ Name, Source: join(folder, Name) }))
  for (const { Source } of volumes) {
    await mkdir(Source)
    await writeFile(join(Source, 'file'), Buffer.alloc(100_000, 1))
  }
  const { bytes, files } = await diskUsageOf(engineWith(volumes), 'c')
  assert.ok(bytes >= 200_100 && bytes < 300_000, `${bytes}`)
  assert.equal(files, 4)
})

it('asks the engine for the bytes in volumes that cannot be seen from here', async () => {
  const volumes = ['a', 'b'].map((Name) => ({ Name, Source: `/nowhere/${Name}` }))
  assert.deepEqual(await diskUsageOf(engineWith(volumes), 'c'), { bytes: 114, files: 0 })
})

it('counts nothing else where there are none', async () => {
  assert.deepEqual(await diskUsageOf(engineWith([]), 'c'), { bytes: 100, files: 0 })
})
