import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { bundleServer } from '../scripts/build-server.ts'

const root = resolve(import.meta.dirname, '..')

/** Packages that the server loads only when it needs them, with the names that it takes from them. */
const LATE = Object.entries({
  '@vercel/frameworks': ['frameworks'],
  '@vercel/routing-utils': ['normalizeRoutes', 'mergeRoutes', 'getTransformedRoutes'],
  ajv: ['Ajv'],
  ioredis: ['Redis'],
})

/** Bundles the program whose `run` these are the lines of; answers what it prints. */
async function printed(t: TestContext, lines: readonly string[]): Promise<string> {
  // Below the packages, which are found from there.
  const folder = await mkdtemp(join(root, 'node_modules/.bundle-test-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'src/process'), { recursive: true })
  await writeFile(
    join(folder, 'src/process/start.ts'),
    `export async function run() {\n${lines.join('\n')}\nreturn 0\n}`,
  )
  for (const name of ['child-main.ts', 'supervisor/compiled.ts'])
    await cp(join(root, 'src/process', name), join(folder, 'src/process', name))
  await bundleServer(join(folder, 'src'), join(folder, 'out'))
  return execFileSync(process.execPath, [join(folder, 'out/child-main.cjs')], { encoding: 'utf8' })
}

test('what is loaded later has the same names in the bundle as in the sources', async (t) => {
  const imports = LATE.map(
    ([name, names]) =>
      `const { ${names} } = await import('${name}')\nconsole.log(${names.map((each) => `typeof ${each}`)})`,
  )
  const out = await printed(
    t,
    imports.map((each) => `{\n${each}\n}`),
  )
  assert.equal(out, 'object\nfunction function function\nfunction\nfunction\n')
})

test('characters that are not ASCII are the same in the bundle, wherever they are written', async (t) => {
  const out = await printed(t, [
    'const tag = (strings: TemplateStringsArray) => strings.join()',
    "console.log('◢ 🛫', `◢ 🛫`, tag`◢ 🛫`)",
    "console.log(/^[…]$/.test('…'), /^…$/.test('…'), /^[🛫]$/u.test('🛫'), /^🛫$/.test('🛫'))",
  ])
  assert.equal(out, '◢ 🛫 ◢ 🛫 ◢ 🛫\ntrue true true true\n')
})

test('a log of the bundle is made without a look at where in it that is', async (t) => {
  const out = await printed(t, [
    "const util = process.getBuiltinModule('node:util')",
    'let looks = 0',
    'util.getCallSites = () => (looks++, [])',
    "const { pino } = require('pino')",
    "pino({ base: null, timestamp: false }, { write: (line: string) => console.log(line, looks) }).info('made')",
  ])
  assert.equal(out, '{"level":30,"msg":"made"}\n 0\n')
})

test('a bundle is refused in which a raw template would say something else', async (t) => {
  await assert.rejects(printed(t, ['console.log(String.raw`\\Q…\\E`)']), /String\.raw.*Q…/)
})
