import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { machineName } from './machine-name.ts'

test('a machine keeps its name, whoever asks for it first', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-machine-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const name = await machineName(folder)
  assert.match(name, /^[0-9a-f-]{36}$/)
  assert.equal(await machineName(folder), name)
})
