/**
 * From files to a live address: a create request and the first visit of the new site, against one plain write to the API.
 *
 *   node bench/deploy/create-live.ts
 */

import { oneConnection, send } from '../load/send.ts'
import { median } from '../measure/median.ts'
import { rounds, warmUps } from '../measure/trial.ts'
import { startPlatform } from '../platform/platform.ts'
import { atMost, printRows, type Row } from '../report/row.ts'

const ROUNDS = rounds(40)
const WARM_UPS = warmUps(5)

export async function run(): Promise<Row[]> {
  const platform = await startPlatform()
  const visitor = oneConnection()
  try {
    const create = async (round: number) => {
      const body = JSON.stringify({
        name: 'live',
        version: 2,
        files: [{ file: 'index.html', data: `page ${round}` }],
      })
      const made = await platform.call('/v8/platform/deployments', { method: 'POST', body })
      const { url, readyState } = JSON.parse(made.body)
      if (readyState !== 'READY') throw new Error(`it is ${readyState} and not READY in the answer`)
      const page = await send({ url: platform.url, headers: { host: url }, agent: visitor })
      if (page.body !== `page ${round}`) throw new Error(`the site answered ${page.status} ${page.body}`)
    }
    const write = (round: number) =>
      platform.call('/v2/platform/secrets', {
        method: 'POST',
        body: JSON.stringify({ name: `s${round}`, value: 'x' }),
      })

    const [lives, writes] = [[] as number[], [] as number[]]
    for (let round = -WARM_UPS; round < ROUNDS; round++) {
      const start = performance.now()
      await create(round)
      const between = performance.now()
      await write(round)
      if (round < 0) continue
      lives.push(between - start)
      writes.push(performance.now() - between)
    }
    return [
      atMost('P11', 'create and first visit, against one plain write', median(lives) / median(writes), 2.5),
    ]
  } finally {
    visitor.destroy()
    await platform.stop()
  }
}

if (import.meta.main) printRows(await run())
