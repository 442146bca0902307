import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'

// Read when a benchmark is loaded.
process.env.BENCH_TRIAL = '1'
const { BENCHMARKS } = await import('../../bench/benchmarks.ts')
const { sharePlatform } = await import('../../bench/platform/platform.ts')

const root = resolve(import.meta.dirname, '../..')
const missing = (process.env.ALOFT_TEST_MISSING ?? '').split(',')

const stopShared = sharePlatform()
after(async () => {
  await stopShared()
  // A benchmark that failed may have left a server or a socket open, which would keep the run waiting.
  setTimeout(() => process.exit(), 10_000).unref()
})

for (const { ids, tools, load } of BENCHMARKS) {
  const lacking = tools.filter((tool) => missing.includes(tool))
  const skip = lacking.length > 0 && `${lacking.join(', ')} is not installed`
  test(`${ids.join(', ')} can be measured`, { skip }, async () => {
    const rows = await (await load()).run()
    assert.deepEqual([...new Set(rows.map(({ id }) => id).filter(Boolean))], ids)
    for (const { what, measured } of rows) assert.match(measured, /^\d+(\.\d+)? \S+$/, `${what}: ${measured}`)
  })
}

for (const [program, tool] of [
  ['micro/blob-store.ts'],
  ['micro/visit-counting.ts'],
  ['micro/postgres-costs.ts', 'postgresql'],
] as const)
  test(`${program} prints what it has measured`, {
    skip: tool !== undefined && missing.includes(tool) && `${tool} is not installed`,
  }, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bench', program)])
    assert.match(stdout, /\d/)
    assert.doesNotMatch(stdout, /NaN|Infinity/)
  })
