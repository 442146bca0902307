/**
 * What 10,000 schedules cost while none of them is due: CPU time of all processes of an idle installation that has them,
 * against that of one with the same projects and no schedules, both over the same minutes.
 *
 *   node bench/api/many-schedules.ts
 */
import { setTimeout as pause } from 'node:timers/promises'
import { cpuSeconds, SHORTEST } from '../measure/process-cpu.ts'
import { amount } from '../measure/trial.ts'
import { type Platform, startPlatform } from '../platform/platform.ts'
import { atMost, printRows, type Row } from '../report/row.ts'

const PROJECTS = amount(100, 2)
/** As many as a project may have. */
const EACH = amount(100, 5)
const SETTLED = amount(20_000, 0)
/** The queue of jobs is looked at once a minute. */
const IDLE_MS = amount(3 * 60_000, 1000)

async function fill({ call }: Platform, name: string, schedules: number): Promise<void> {
  const post = (path: string, body: object) =>
    call(path, {
      ...{ method: 'POST', body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json' },
    })
  for (let project = 0; project < PROJECTS; project++) {
    await post('/v10/projects', { name: `${name}-${project}` })
    for (let n = 0; n < schedules; n++)
      await post(`/v1/projects/${name}-${project}/crons`, { path: `/run/${n}`, schedule: '0 0 29 2 *' })
  }
}

export async function run(): Promise<Row[]> {
  const platforms: Platform[] = []
  try {
    for (const [name, schedules] of [
      ['without', 0],
      ['with', EACH],
    ] as const) {
      const platform = await startPlatform()
      platforms.push(platform)
      await fill(platform, `${name}-schedules`, schedules)
    }
    await pause(SETTLED)
    const used = () => Promise.all(platforms.map(({ pid }) => cpuSeconds(pid)))
    const before = await used()
    await pause(IDLE_MS)
    const [bare = SHORTEST, full = SHORTEST] = (await used()).map((seconds, index) =>
      Math.max(seconds - (before[index] ?? 0), SHORTEST),
    )
    const share = (seconds: number) => `${((100 * seconds) / (IDLE_MS / 1000)).toFixed(2)} %`
    return [
      atMost('P21', `idle with ${PROJECTS * EACH} schedules, against idle with none`, full / bare, 1.1),
      { id: '', what: 'the same, of a core', measured: share(full), target: '', met: undefined },
    ]
  } finally {
    for (const platform of platforms) await platform.stop()
  }
}

if (import.meta.main) printRows(await run())
