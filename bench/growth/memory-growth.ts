/**
 * Whether memory grows with what was done: that of the processes of the platform, without the programs of users, over a
 * million requests (eight of ten for a file, one for a function, one for the API) and then over ten thousand deployments of
 * one file, each visited once. Taken twenty times on the way of each, and at the end when all is quiet, against a start that
 * was followed by nothing.
 *
 *   BENCH_REQUESTS=1000000 BENCH_DEPLOYMENTS=10000 node bench/growth/memory-growth.ts
 */
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { askTimes } from '../load/h2load.ts'
import { send } from '../load/send.ts'
import { median } from '../measure/median.ts'
import { megabytesOf } from '../measure/process-memory.ts'
import { rest } from '../measure/rest.ts'
import { amount } from '../measure/trial.ts'
import { deployReady } from '../platform/deploy-ready.ts'
import { type Platform, startPlatform } from '../platform/platform.ts'
import { atMost, printRows, type Row } from '../report/row.ts'

const REQUESTS = Number(process.env.BENCH_REQUESTS ?? amount(1_000_000, 400))
const DEPLOYMENTS = Number(process.env.BENCH_DEPLOYMENTS ?? amount(10_000, 8))
const STEPS = amount(20, 2)
const AT_ONCE = 8
/** What an idle process does not need any more it gives back after some seconds. */
const SETTLED = amount(15_000, 0)
/** At rest, against a start that was followed by nothing. */
const TARGET = 1.3
/** The last quarter of the way, against the second: in the first the engine finds out how much room it needs. */
const GROWTH_TARGET = 1.1

type Points = readonly (readonly [number, number])[]

/** Of the supervisor and of what serves and works, each without the instances that it has started. */
const megabytes = async ({ pid, children }: Platform): Promise<number> =>
  megabytesOf([pid as number, ...(await children('serve')), ...(await children('work'))])

const start = (): Promise<Platform> => startPlatform({}, { pinned: false })

async function idleMegabytes(): Promise<number> {
  const platform = await start()
  try {
    await pause(SETTLED)
    return await megabytes(platform)
  } finally {
    await platform.stop()
  }
}

/** Does all of it in steps, and tells what there was after each. */
async function pointsOf(platform: Platform, total: number, work: (count: number) => Promise<unknown>) {
  const points: (readonly [number, number])[] = []
  const each = Math.ceil(total / STEPS)
  for (let done = each; done <= total; done += each) {
    await work(each)
    await rest(platform)
    points.push([done, await megabytes(platform)])
  }
  return points
}

async function requestsOn(platform: Platform): Promise<(count: number) => Promise<void>> {
  const host = await deployReady(platform, 'visited', { 'index.html': 'x'.repeat(1000) })
  const code = await deployReady(platform, 'visited-code', {
    'api/hello.js': `module.exports = (req, res) => res.end('x'.repeat(1000))\n`,
  })
  const api = `${platform.url}/v8/platform/deployments/${host}`
  return async (count) => {
    const tenth = Math.max(1, Math.round(count / 10))
    await askTimes(`${platform.url}/`, 8 * tenth, { Host: host })
    await askTimes(`${platform.url}/api/hello`, tenth, { Host: code })
    await askTimes(api, tenth, platform.headers)
  }
}

function deploymentsOn({ url, call }: Platform): (count: number) => Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 2 * AT_ONCE })
  let made = 0
  const one = async () => {
    const files = [{ file: 'index.html', data: `page ${made++}` }]
    const body = JSON.stringify({ name: 'deployed-often', version: 2, files })
    const answer = await call('/v8/platform/deployments', { method: 'POST', body, agent })
    const { status } = await send({ url, headers: { host: JSON.parse(answer.body).url }, agent })
    if (status !== 200) throw new Error(`a new deployment answered ${status}`)
  }
  return async (count) => {
    let left = count
    const take = async () => {
      while (left-- > 0) await one()
    }
    await Promise.all(Array.from({ length: AT_ONCE }, take))
  }
}

function growthOf(points: Points): number {
  const values = points.map(([, value]) => value)
  const quarter = Math.max(1, Math.floor(values.length / 4))
  return median(values.slice(-quarter)) / median(values.slice(quarter, 2 * quarter))
}

export async function run(): Promise<Row[]> {
  const idle = await idleMegabytes()
  const platform = await start()
  try {
    const overRequests = await pointsOf(platform, REQUESTS, await requestsOn(platform))
    const overDeployments = await pointsOf(platform, DEPLOYMENTS, deploymentsOn(platform))
    await pause(SETTLED)
    const after = await megabytes(platform)
    const [requests, deployments] = [REQUESTS, DEPLOYMENTS].map((count) => count.toLocaleString('en'))
    const all = `${requests} requests and ${deployments} deployments`
    const last = 'its last quarter against its second'
    return [
      {
        ...atMost('P12', `memory at rest after ${all}, against that after a start`, after / idle, TARGET),
        curve: {
          ...{ name: 'memory', title: 'Memory of the processes of the platform', unit: 'MB' },
          lines: [
            { label: 'requests', points: overRequests },
            { label: 'deployments', points: overDeployments },
          ],
        },
      },
      atMost('P12', `memory over ${requests} requests, ${last}`, growthOf(overRequests), GROWTH_TARGET),
      atMost(
        'P12',
        `memory over ${deployments} deployments, ${last}`,
        growthOf(overDeployments),
        GROWTH_TARGET,
      ),
      {
        id: '',
        what: 'at rest after all of it',
        measured: `${after.toFixed(0)} MB`,
        target: '',
        met: undefined,
      },
    ]
  } finally {
    await platform.stop()
  }
}

if (import.meta.main) printRows(await run())
