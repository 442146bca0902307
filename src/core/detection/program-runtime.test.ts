import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planOf } from './plan-testing.ts'
import { runtimeOfProgram } from './program-runtime.ts'

const NODE = { nodeVersion: '22.x', bunVersion: undefined } as const
const BUN = { ...NODE, bunVersion: '1.x' }

test('JavaScript runs on Node, or on Bun where the configuration file or the code says so', () => {
  assert.deepEqual(runtimeOfProgram('node', undefined, NODE), { runtime: 'node', version: '22.x' })
  assert.deepEqual(runtimeOfProgram('node', undefined, BUN), { runtime: 'bun', version: '1.x' })
  assert.deepEqual(runtimeOfProgram('bun', undefined, NODE), { runtime: 'bun', version: '1.x' })
  assert.deepEqual(runtimeOfProgram('python', undefined, BUN), { runtime: 'python', version: '3.11' })
})

test('a function that names a version of Node has it', () => {
  const own = { nodeVersion: '20.x' }
  assert.deepEqual(runtimeOfProgram('node', own, BUN), { runtime: 'node', version: '20.x' })
})

test('`bunVersion` is a version of the line that there is', async () => {
  const planned = (bunVersion: unknown) =>
    planOf({ 'vercel.json': JSON.stringify({ bunVersion }), 'api/a.ts': '' })
  for (const version of ['1.x', '1', '1.2', '1.3.14'])
    assert.equal((await planned(version)).bunVersion, '1.x', version)
  for (const version of ['2.x', 1, '*', '1.2.3.4'])
    await assert.rejects(planned(version), {
      code: 'invalid_config',
      message: 'vercel.json: `bunVersion` should be "1.x".',
    })
})
