import { collectFiles } from '#client/deploy/collect-files.ts'
import { DeployError } from '#client/deploy/deploy-error.ts'
import type { DevEvent, DevOrder } from '#contract/dev.ts'
import { type Dev, DevError, startDev } from './process/dev/dev.ts'

/**
 * The program behind `aloft dev`, started by it with a channel: it is told what to serve, tells what happens, and ends
 * with the one who started it.
 */
const tell = (event: DevEvent): void => {
  if (process.connected) process.send?.(event)
}

let dev: Promise<Dev> | undefined
let stopping = false

/** What is on its way out is sent before the process ends. */
const leave = (code: number) => {
  if (!process.connected) process.exit(code)
  process.once('disconnect', () => process.exit(code))
  process.disconnect()
}

async function stop(code = 0): Promise<void> {
  if (stopping) return
  stopping = true
  await (await dev?.catch(() => undefined))?.stop().catch(() => {})
  leave(code)
}

process.on('message', (order: DevOrder) => {
  if (order.type === 'stop') void stop()
  if (order.type !== 'start' || dev !== undefined) return
  const reportEvent = (event: DevEvent) => {
    tell(event)
    if (event.type === 'failed') void stop(1)
  }
  dev = startDev(order.options, { collect: collectFiles, tell: reportEvent })
  dev.catch((error: Error) => {
    const known = error instanceof DevError || error instanceof DeployError
    tell({
      type: 'failed',
      code: error instanceof DevError ? error.code : error instanceof DeployError ? 'bad_folder' : 'failed',
      text: known ? error.message : `${error.message}\n${error.stack ?? ''}`,
      ...(error instanceof DevError && error.hint !== undefined ? { hint: error.hint } : {}),
    })
    void stop(1)
  })
})
// A terminal tells everybody; whoever started this says when it is time.
process.on('SIGINT', () => {})
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop())
process.on('disconnect', () => void stop())
