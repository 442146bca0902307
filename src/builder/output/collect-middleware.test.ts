import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Output } from '#core/output/output.ts'
import { collectMiddleware } from './collect.ts'
import { collectionOf, unpacked } from './collect-testing.ts'

type Context = Parameters<typeof collectionOf>[0]

async function collected(t: Context, files: Record<string, string>, file = 'middleware.ts') {
  const collection = await collectionOf(t, files)
  return { collection, output: await collectMiddleware(collection, { file, version: '22.x' }) }
}

/** What a build with this middleware fails with. */
const faultOf = (t: Context, source: string): Promise<Error> =>
  collected(t, { 'middleware.ts': source }).then(
    () => assert.fail('it was taken'),
    (error: Error) => error,
  )

const ruleOf = ({ routes }: Output) => routes?.[0] as { src: string; has?: unknown; missing?: unknown }
const HANDLER = 'export default () => {}\n'

describe('collectMiddleware', () => {
  it('bundles it with what it imports, to be asked for every path where it names none', async (t) => {
    const { collection, output } = await collected(t, {
      'middleware.ts': `import { name } from './lib/name.ts'\nexport default (request: Request) => new Response(name as string)`,
      'lib/name.ts': `export const name: unknown = 'imported'`,
    })
    const [program] = output.programs
    assert.deepEqual([program?.shape, program?.version, program?.fileCount], ['edge', '24.x', 1])
    assert.deepEqual(output.files, [])
    assert.deepEqual(output.routes, [{ src: '^/.*$', middlewarePath: '/_aloft/middleware', continue: true }])
    assert.equal(output.functions[0]?.path, '_aloft/middleware')
    const files = await unpacked(collection, program ?? assert.fail())
    const [code, map = ''] = (files['middleware.mjs'] ?? '').split(
      '//# sourceMappingURL=data:application/json;base64,',
    )
    assert.match(code ?? '', /imported/)
    const { sources } = JSON.parse(Buffer.from(map, 'base64').toString())
    assert.deepEqual(sources, ['lib/name.ts', 'middleware.ts', 'middleware.entry.mjs'])
  })

  it('is of Node where it says so', async (t) => {
    const { output } = await collected(t, {
      'middleware.ts': `import { readFileSync } from 'node:fs'\n${HANDLER}export const config = { runtime: 'nodejs' as const }\nexport const x = readFileSync`,
    })
    assert.deepEqual([output.programs[0]?.shape, output.programs[0]?.version], ['web', '22.x'])
  })

  it('reads its matchers: one, many, with conditions, and by the names of constants', async (t) => {
    const matching = async (config: string) =>
      (await collected(t, { 'middleware.ts': `${HANDLER}${config}` })).output
    const one = ruleOf(await matching(`export const config = { matcher: '/admin/:path*' }`))
    for (const path of ['/admin', '/admin/', '/admin/a', '/admin/a/b', '/admin/a/'])
      assert.match(path, new RegExp(one.src), path)
    for (const path of ['/', '/administrator', '/x/admin']) assert.doesNotMatch(path, new RegExp(one.src))
    const many = await matching(
      "const PATHS = ['/a', `/((?!public).*)`]\nconst config = { matcher: PATHS }\nexport { config }",
    )
    assert.equal(many.routes?.length, 2)
    const conditions = ruleOf(
      await matching(
        `export const config = { matcher: [{ source: '/a', has: [{ type: 'header', key: 'x-a' }], missing: [{ type: 'cookie', key: 'in' }] }] }`,
      ),
    )
    assert.deepEqual(conditions.has, [{ type: 'header', key: 'x-a' }])
    assert.deepEqual(conditions.missing, [{ type: 'cookie', key: 'in' }])
    const own = await matching(
      `const config = load()\nfunction load() { return 1 }\nexport const other = config`,
    )
    assert.equal(ruleOf(own).src, '^/.*$')
  })

  it('fails the build where it cannot tell what is guarded', async (t) => {
    for (const [config, why] of [
      [`export const config = { matcher: process.env.PATHS }`, /cannot be read without running it/],
      [`export const config = { matcher: ['/a', \`/\${1 + 1}\`] }`, /cannot be read without running it/],
      [`export const config = { matcher: 'admin' }`, /starts with a slash/],
      [`export const config = { matcher: '/(' }`, /the matcher "\/\(" is not valid/],
      [`export const config = {{`, /cannot be compiled/],
    ] as const)
      assert.match((await faultOf(t, `${HANDLER}${config}`)).message, why, config)
  })
})
