import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createUnsandboxed } from '#adapters/sandbox-bwrap/unsandboxed.ts'
import { SandboxError } from '#core/ports/sandbox.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { launch } from './launch.ts'
import { openPlaces } from './places.ts'

test('leaves no folders of a runtime that could not even be started', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-launch-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const places = await openPlaces(folder, join(folder, 'run'))
  const spawn = () => {
    throw new SandboxError('not_started', 'There are too many processes')
  }
  const starting = launch(
    { runtime: 'node', version: '24.x', memoryMb: 128 },
    {
      ...{ sandbox: Object.assign(createUnsandboxed(), { spawn }), places, launcher: folder, log: silentLog },
      ensureNode: async () => ({ folder, node: process.execPath }),
      ensureBun: async () => ({ folder }),
      limits: { cpus: 1, processes: 1, tmpBytes: 1, bootMs: 1000 },
      signal: new AbortController().signal,
    },
  )
  await assert.rejects(starting, /too many processes/)
  assert.deepEqual([await readdir(places.run), await readdir(places.instances)], [[], []])
})
