/**
 * An alias moved from one deployment to another and back, again and again, while it is visited as fast as it answers: how long
 * after the answer of the API all connections, of all serving processes, see the other one; and whether any visit fails.
 *
 *   node bench/site/alias-switch.ts
 */
import type { Agent } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { oneConnection, send } from '../load/send.ts'
import { wrk } from '../load/wrk.ts'
import { median } from '../measure/median.ts'
import { amount, seconds } from '../measure/trial.ts'
import { deployReady } from '../platform/deploy-ready.ts'
import { type Platform, startPlatform } from '../platform/platform.ts'
import { printRows, type Row } from '../report/row.ts'

const SECONDS = seconds(60)
const SWITCHES = amount(100, 2)
const CONNECTIONS = 16
const TARGET_MS = 50
const HOST = 'switched.localhost'

interface Side {
  readonly id: string
  readonly body: string
}

async function sideOf(platform: Platform, body: string): Promise<Side> {
  const host = await deployReady(platform, 'switched-sides', { 'index.html': body })
  const { id } = JSON.parse((await platform.call(`/v8/platform/deployments/${host}`)).body)
  return { id, body }
}

const pointAt = (platform: Platform, { id }: Side) =>
  platform.call(`/v2/platform/deployments/${id}/aliases`, {
    method: 'POST',
    body: JSON.stringify({ alias: HOST }),
  })

/** Milliseconds until this connection has seen it. */
async function seen(platform: Platform, { body }: Side, agent: Agent): Promise<number> {
  const start = performance.now()
  for (;;) {
    const asked = performance.now()
    const answer = await send({ url: `${platform.url}/`, headers: { host: HOST }, agent })
    if (answer.status !== 200) throw new Error(`${HOST} answered ${answer.status}: ${answer.body}`)
    // It was so when it was asked at the latest.
    if (answer.body === body) return asked - start
  }
}

export async function run(): Promise<Row[]> {
  const platform = await startPlatform({ ALOFT_WORKERS: '2' }, { pinned: false })
  const agents = Array.from({ length: CONNECTIONS }, oneConnection)
  const waits: number[] = []
  try {
    const sides = [await sideOf(platform, 'left'), await sideOf(platform, 'right')] as const
    await pointAt(platform, sides[0])
    await Promise.all(agents.map((agent) => seen(platform, sides[0], agent)))
    // It fails by itself if any answer is no 2xx.
    const visits = wrk(`${platform.url}/`, SECONDS, { Host: HOST })
    const pause = (SECONDS * 1000) / SWITCHES / 2
    for (let n = 1; n <= SWITCHES; n++) {
      const side = n % 2 === 0 ? sides[0] : sides[1]
      await pointAt(platform, side)
      waits.push(Math.max(...(await Promise.all(agents.map((agent) => seen(platform, side, agent))))))
      await delay(pause)
    }
    const served = (await visits).toLocaleString('en')
    const most = Math.max(...waits)
    return [
      {
        ...{
          id: 'P10',
          what: `an alias moved ${SWITCHES} times during ${served} visits, none of which failed: seen everywhere after`,
        },
        ...{ measured: `${most.toFixed(1)} ms`, target: `≤ ${TARGET_MS} ms`, met: most <= TARGET_MS },
        chart: {
          ...{ value: most, target: TARGET_MS, better: 'less' },
          spread: [Math.min(...waits), most],
        },
      },
      {
        ...{ id: '', what: 'the same, the median of all moves' },
        ...{ measured: `${median(waits).toFixed(1)} ms`, target: '', met: undefined },
      },
    ]
  } finally {
    for (const agent of agents) agent.destroy()
    await platform.stop()
  }
}

if (import.meta.main) printRows(await run())
