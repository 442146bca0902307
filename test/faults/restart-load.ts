// The long version of restart.test.ts: `npm run test:restart -- --requests 100000`. Restarts again and again under load
// until so many requests have been answered, and exits with 1 when one of them failed. With --write it notes what came of it
// in docs/reliability.md.
import { parseArgs } from 'node:util'
import { openScene, restartNow, startLoad } from '#test/support/http/restart-load.ts'
import { changePage, withMeasure } from './reliability-table.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    connections: { type: 'string', default: '4' },
    write: { type: 'boolean', default: false },
  },
})
const scene = await openScene()
const began = performance.now()
const load = startLoad(scene, Number(values.connections))
let isDone = false
const enough = load.more(Number(values.requests)).then(() => {
  isDone = true
})
let restarts = 0
while (!isDone) {
  await scene.upgrade(`9.9.${restarts}`)
  await restartNow(scene.aloft)
  restarts++
}
await enough
const { answered, failed, slowestMs } = await load.stop()
const seconds = Math.round((performance.now() - began) / 1000)
process.stdout.write(`${JSON.stringify({ answered, failed: [...failed], restarts, seconds, slowestMs })}\n`)
if (values.write) {
  const missed = [...failed.values()].reduce((sum, count) => sum + count, 0)
  const found = `${restarts} restarts, ${missed} failed, the slowest took ${(slowestMs / 1000).toFixed(1)} s; ${seconds} s`
  const name = `${answered.toLocaleString('en')} requests over HTTP/1.1, TLS and HTTP/2 during restarts`
  changePage((page) => withMeasure(page, name, found))
}
await scene.close()
process.exit(failed.size > 0 ? 1 : 0)
