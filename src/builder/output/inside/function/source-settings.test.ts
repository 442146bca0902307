import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readSettings } from './source-settings.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aloft-settings-'))
})
after(() => rm(folder, { recursive: true }))

async function settingsOf(source: string, name = 'a.ts') {
  const file = join(folder, name)
  await writeFile(file, source)
  const { isEdge = false, ...rest } = await readSettings(file)
  return isEdge ? { ...rest, isEdge } : rest
}

test('code that is commented out says nothing', async () => {
  for (const source of [
    "// export const runtime = 'edge'",
    "/* export const config = { runtime: 'edge' } */",
    "export const config = {\n  // runtime: 'edge',\n}",
    "export const help = `export const runtime = 'edge'`",
  ])
    assert.deepEqual(await settingsOf(`${source}\nexport default () => {}`), {}, source)
  assert.deepEqual(await settingsOf('export const config = {\n  // maxDuration: 5,\n  maxDuration: 60 }'), {
    maxDuration: 60,
  })
})

test('what stands beside other settings, in any order, is read', async () => {
  const both = { maxDuration: 60, memoryMb: 512 }
  for (const config of [
    '{ api: { bodyParser: false }, maxDuration: 60, memory: 512 }',
    '{ regions: regions(), ...more, maxDuration: 60, memory: 512 }',
    "{ 'maxDuration': 60, 'memory': 512 } satisfies Config",
  ])
    assert.deepEqual(await settingsOf(`export const config = ${config}`), both, config)
  assert.deepEqual(
    await settingsOf('const config = { maxDuration: 60, memory: 512 }\nexport { config }'),
    both,
  )
})

test('settings that stand by themselves are read', async () => {
  const source = "export const runtime: string = 'edge'\nexport const maxDuration = 9999"
  assert.deepEqual(await settingsOf(source), { isEdge: true, maxDuration: 3600 })
  assert.deepEqual(await settingsOf("const runtime = 'edge'\nexport const page = runtime"), {})
  const jsx = "export const runtime = 'edge'\nexport default () => new Response(<p />)"
  assert.deepEqual(await settingsOf(jsx, 'a.jsx'), { isEdge: true })
  assert.deepEqual(await settingsOf(jsx, 'a.tsx'), { isEdge: true })
})

test('what is no code says nothing', async () => {
  assert.deepEqual(await settingsOf("export const runtime = 'edge' {{"), {})
})
