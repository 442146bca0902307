import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Channel } from '#adapters/ipc/channel.ts'
import { createOutboxMailer } from '#adapters/mail-outbox/outbox-mailer.ts'
import { createSmtpMailer } from '#adapters/mail-smtp/smtp-mailer.ts'
import { isMemoryShort, memoryNow } from '#adapters/runner-process/host/machine-memory.ts'
import type { JobHandler } from '#core/job/job-handler.ts'
import { JobRunner } from '#core/job/job-runner.ts'
import { workerNames } from '#core/machine/machine.ts'
import type { Log } from '#core/ports/log.ts'
import type { Mailer } from '#core/ports/mailer.ts'
import type { UseCases } from '#http/routes.ts'
import type { DrainOptions } from '#listener/listener.ts'
import type { Config } from '../config/config.ts'
import { answerForwarded } from './api/answer-forwarded.ts'
import { createDrainSender } from './compose/drains.ts'
import { endMachine, reportMachine } from './compose/machine/cluster.ts'
import { createIsDraining } from './compose/machine/machine-watch.ts'
import { openParts } from './compose/open-parts.ts'
import { apiSocket } from './compose/runner-socket.ts'
import { createMetrics } from './compose/status/metrics.ts'
import { createJobHandlers, createUseCases } from './compose/use-cases.ts'
import { openCodeWorkers } from './compose/workers.ts'
import { requireSocketFolder } from './data/data-folder.ts'
import { giveWay } from './machine/give-way.ts'
import { machineName } from './machine/machine-name.ts'
import type { Running } from './serve.ts'
import { createProcessList, tellSandbox } from './supervisor/channel/process-list.ts'
import { type Activity, NOBODY_READS } from './supervisor/child/activity.ts'
import type { ChildOptions } from './supervisor/child/child-options.ts'

/** A working process: takes jobs and does them. */
export async function work(
  config: Config,
  log: Log,
  channel: Channel | undefined,
  activity: Activity = NOBODY_READS,
  { seat = 0, takesOver = false, answersApi = false }: ChildOptions = {},
): Promise<Running> {
  const parts = await openParts(config, log, channel)
  const metrics = createMetrics(channel)
  const mailer = openMailer(config, (text) => process.stdout.write(text))
  const { stores, transact, bus, clock, outbound } = parts
  const machine = await machineName(config.dataDir)
  const [worker, ...others] = workerNames(machine, seat)
  // What those before held when they died would otherwise wait until its lease runs out.
  if (!takesOver)
    for (const name of others) {
      await stores.jobs.reclaim(name, clock.now())
      await stores.instances.clear(name)
    }
  const { processes } = await createProcessList(channel)()
  const serves = processes.some(({ role }) => role === 'serve')
  let use: UseCases | undefined
  const openApi = async () => {
    const { buildApi } = await import('./api/build-api.ts')
    use = createUseCases(config, parts)
    const api = await buildApi(config, parts, use, channel, metrics)
    log.info({}, 'this process answers requests of the API that would hold up sites')
    return api
  }
  // It takes seconds where the CPU is short. Before anybody asks this process for anything, nobody waits for that.
  const ready = serves && answersApi ? await openApi() : undefined
  // The supervisor may be of a version that had the sockets elsewhere, and whoever tidies up may have removed the folder since.
  await requireSocketFolder(config)
  const code = await openCodeWorkers(config, parts, { machine, worker, serves, seat })
  tellSandbox(channel, code.sandbox)
  parts.machines.start()
  const runner = new JobRunner({
    isPaused: createIsDraining(parts.machines, machine),
    store: stores.jobs,
    transact,
    handlers: createJobHandlers(config, parts, {
      ...{ mailer, outbound, ...code, buildsAtOnce: buildsAtOnce() },
      mayBuild: () => !isMemoryShort(memoryNow()),
    }).map((handler) => noteJobs(activity, handler)),
    bus,
    clock,
    leaseTime: parts.leaseTime,
    log,
    worker,
  })
  await runner.start()
  const stopReports = await reportMachine(config, parts, 'work', endMachine(channel))
  // What users' code is started from here would otherwise come after everything else, too.
  const comeAfterVisitors = () => void (code.haveOwnShares && giveWay())
  if (ready) comeAfterVisitors()
  const api = serves
    ? await answerForwarded({
        ...{ socket: apiSocket(config.dataDir, seat), ready, log },
        open() {
          comeAfterVisitors()
          return openApi()
        },
      })
    : undefined
  const drainSender = createDrainSender(config, parts, worker)
  drainSender.start()
  return {
    async drain(ms, how?: DrainOptions) {
      use?.logs.close()
      use?.changes.close()
      await Promise.all([api?.drain(ms), runner.drain(ms), code.drain(ms, how), drainSender.drain(ms)])
      mailer.close()
      stopReports()
      await parts.close()
    },
  }
}

const noteJobs = (activity: Activity, handler: JobHandler): JobHandler => ({
  ...handler,
  run(payload, run) {
    activity.begin(`job ${handler.kind} ${run.id}`)
    return handler.run(payload, run)
  },
})

/** Builds share the machine with the sites: one for every two cores, and never one alone, which could keep everybody waiting. */
const buildsAtOnce = (): number => Math.max(2, Math.floor(availableParallelism() / 2))

/** What is not sent, because there is no mail server, is told instead. */
export function openMailer(
  { smtpUrl, dataDir, domain }: Config,
  tell: (text: string) => void = () => {},
): Mailer {
  const from = `Aloft <no-reply@${domain}>`
  return smtpUrl
    ? createSmtpMailer({ url: smtpUrl.reveal(), from })
    : createOutboxMailer({
        folder: join(dataDir, 'outbox'),
        from,
        tell,
      })
}
