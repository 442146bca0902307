import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readEnvFiles } from './env-files.ts'

test('values are those that a project would get of the same files, and lines that set nothing are told', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-env-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, '.env'), 'PASSWORD=a#b\nQUOTED="say \\"hi\\""\nOVER=1\nMY-KEY=2\n')
  await writeFile(join(folder, '.env.local'), 'export OVER=2 # mine\n')
  assert.deepEqual(await readEnvFiles(folder), {
    found: ['.env', '.env.local'],
    variables: { PASSWORD: 'a#b', QUOTED: 'say "hi"', OVER: '2' },
    problems: ['.env: skipped line 4: The name “MY-KEY” may only contain letters, digits and underscores.'],
  })
})
