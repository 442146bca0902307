import { kindOf } from '#adapters/ipc/channel.ts'
import type { DrainOptions } from '#listener/listener.ts'
import type { Config } from '../../../config/config.ts'
import { createLog } from '../../compose/log.ts'
import { channelToSupervisor } from '../channel/channel.ts'
import { openActivity } from './activity.ts'
import { type ChildRole, DRAIN, DRAIN_MS, type Drain, READY } from './child.ts'
import type { ChildOptions } from './child-options.ts'
import { answerHeartbeat } from './heartbeat.ts'
import { giveBackWhenIdle } from './idle-memory.ts'
import { endWhenOrphaned } from './orphan.ts'

/** The life of a child: start, say so, and end when the supervisor asks or is gone. */
export async function runChild(
  role: ChildRole,
  config: Config,
  given: ChildOptions,
  onReady: () => void = () => {},
): Promise<number> {
  const log = createLog(config.logLevel, role)
  const channel = channelToSupervisor()
  // The terminal sends these to the whole group; the supervisor decides what they mean.
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGUSR2'] as const) process.on(signal, () => {})
  process.on('unhandledRejection', (error) => {
    log.error({ err: error }, 'unhandled promise rejection')
    process.exit(1)
  })

  try {
    answerHeartbeat(channel)
    const activity = openActivity()
    const asked = Promise.withResolvers<DrainOptions>()
    channel.onMessage((message) => kindOf(message) === DRAIN && asked.resolve(message as Drain))
    endWhenOrphaned(() => asked.resolve({}), log)
    if (given.prepares) {
      const { prepareFor } = await import('../../prepare.ts')
      await prepareFor(role, config, log, (prepared) => channel.send(prepared))
    }
    const start =
      role === 'serve' ? (await import('../../serve.ts')).serve : (await import('../../work.ts')).work
    const running = await start(config, log, channel, activity, given)
    channel.send({ kind: READY })
    giveBackWhenIdle()
    setImmediate(onReady)
    await running.drain(DRAIN_MS, await asked.promise)
    return 0
  } catch (error) {
    log.error({ err: error }, `${role} could not continue`)
    return 1
  }
}
