import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { bundleServer } from '../scripts/build-server.ts'

const root = resolve(import.meta.dirname, '..')

/** Packages that the server loads only when it needs them, with the names that it takes from them. */
const LATE = Object.entries({
  '@vercel/frameworks': ['frameworks'],
  '@vercel/routing-utils': ['normalizeRoutes', 'mergeRoutes', 'getTransformedRoutes'],
  ajv: ['Ajv'],
  ioredis: ['Redis'],
})

test('what is loaded later has the same names in the bundle as in the sources', async (t) => {
  // Below the packages, which are found from there.
  const folder = await mkdtemp(join(root, 'node_modules/.bundle-test-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'src/process'), { recursive: true })
  const imports = LATE.map(
    ([name, names]) =>
      `const { ${names} } = await import('${name}')\nconsole.log(${names.map((each) => `typeof ${each}`)})`,
  )
  await writeFile(
    join(folder, 'src/process/start.ts'),
    `export async function run() {\n${imports.map((each) => `{\n${each}\n}`).join('\n')}\nreturn 0\n}`,
  )
  for (const name of ['child-main.ts', 'supervisor/compiled.ts'])
    await cp(join(root, 'src/process', name), join(folder, 'src/process', name))
  await bundleServer(join(folder, 'src'), join(folder, 'out'))
  const out = execFileSync(process.execPath, [join(folder, 'out/child-main.cjs')], { encoding: 'utf8' })
  assert.equal(out, 'object\nfunction function function\nfunction\nfunction\n')
})
