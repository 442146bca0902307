/**
 * How long visitors of a static site wait at worst (the 99th percentile) while a build uses all the CPU it may, against
 * the same without a build, in rounds that take turns.
 *
 *   node bench/noisy-build.ts
 */
import { spawn } from 'node:child_process'
import { deployReady } from './deploy-ready.ts'
import { medianRatio } from './median.ts'
import { type Platform, startPlatform } from './platform.ts'
import { atMost, printRows, type Row } from './row.ts'
import { rounds, seconds } from './trial.ts'

const ROUNDS = rounds(5)
const SECONDS = seconds(4)

/** Four loops that never rest, and memory that grows. */
const BUSY = `const { fork } = require('node:child_process')
if (process.argv[2]) for (const kept = []; ; ) { if (kept.length < 2000) kept.push(Buffer.alloc(1 << 17, 1)); Math.sqrt(kept.length) }
for (let i = 0; i < 4; i++) fork(__filename, ['busy'])
setTimeout(() => process.exit(1), 600000)
`

/** Milliseconds; a rate that the machine easily bears, so that it is the wait that is measured. */
async function p99(url: string, host: string): Promise<number> {
  const args = ['-t1', '-c8', `-d${SECONDS}s`, '--latency', '-H', `Host: ${host}`, url]
  const child = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const output = (await child.stdout.setEncoding('utf8').toArray()).join('')
  const [, value = '', unit = ''] = /99%\s+([\d.]+)(us|ms|s)/.exec(output) ?? []
  const ms = Number(value) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? Number.NaN)
  if (Number.isNaN(ms)) throw new Error(output)
  return ms
}

async function beginBuild(platform: Platform, round: number): Promise<string> {
  const body = JSON.stringify({
    name: `noisy-${round}`,
    version: 2,
    files: [
      { file: 'package.json', data: JSON.stringify({ scripts: { build: 'node busy.js' } }) },
      { file: 'busy.js', data: BUSY },
    ],
  })
  const { id } = JSON.parse((await platform.call('/v8/platform/deployments', { method: 'POST', body })).body)
  for (;;) {
    const { body: log } = await platform.call(`/v2/platform/deployments/${id}/events?builds=1`)
    if (log.includes('node busy.js')) return id
    if (log.includes('Error:')) throw new Error(log)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

export async function run(): Promise<Row[]> {
  const platform = await startPlatform()
  try {
    const host = await deployReady(platform, 'quiet', { 'index.html': 'x'.repeat(1000) })
    const waits = { alone: [] as number[], noisy: [] as number[] }
    await p99(platform.url, host)
    for (let round = 0; round < ROUNDS; round++) {
      waits.alone.push(await p99(`${platform.url}/`, host))
      const id = await beginBuild(platform, round)
      waits.noisy.push(await p99(`${platform.url}/`, host))
      await platform.call(`/v2/platform/deployments/${id}`, { method: 'DELETE' })
    }
    const ratio = medianRatio(waits.noisy, waits.alone)
    return [atMost('P13', 'p99 of visitors during a build that saturates its share', ratio, 1.3)]
  } finally {
    await platform.stop()
  }
}

if (import.meta.main) printRows(await run())
