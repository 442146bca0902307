import type { Config } from '../../config.ts'
import { createLog } from '../compose/log.ts'
import { prepare } from '../prepare.ts'
import { serve } from '../serve.ts'
import { work } from '../work.ts'
import { channelToSupervisor, kindOf } from './channel.ts'
import { type ChildRole, DRAIN, DRAIN_MS, READY } from './child.ts'
import { openDoing } from './doing.ts'
import { answerHeartbeat } from './heartbeat.ts'

/** The life of a child: start, say so, and end when the supervisor asks or is gone. */
export async function runChild(role: ChildRole, config: Config): Promise<number> {
  const log = createLog(config.logLevel, role)
  const channel = channelToSupervisor()
  // The terminal sends these to the whole group; the supervisor decides what they mean.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  process.on('unhandledRejection', (error) => {
    log.error({ err: error }, 'a promise was rejected and nobody was waiting for it')
    process.exit(1)
  })

  try {
    if (role === 'prepare') {
      const prepared = await prepare(config, log)
      // The process ends at once, so the message has to be on its way first.
      await new Promise((resolve) => process.send?.(prepared, resolve))
      return 0
    }
    answerHeartbeat(channel)
    const doing = openDoing()
    const asked = Promise.withResolvers<void>()
    channel.onMessage((message) => kindOf(message) === DRAIN && asked.resolve())
    process.on('disconnect', () => asked.resolve())
    const running = await (role === 'serve' ? serve : work)(config, log, channel, doing)
    channel.send({ kind: READY })
    await asked.promise
    await running.drain(DRAIN_MS)
    return 0
  } catch (error) {
    log.error({ err: error }, `${role} could not go on`)
    return 1
  }
}
