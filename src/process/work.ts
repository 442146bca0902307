import { join } from 'node:path'
import { createOutboxMailer } from '#adapters/mail-outbox/outbox-mailer.ts'
import { createSmtpMailer } from '#adapters/mail-smtp/smtp-mailer.ts'
import { JobRunner } from '#core/job/job-runner.ts'
import { BuildFailure } from '#core/ports/builder.ts'
import type { Log } from '#core/ports/log.ts'
import type { Mailer } from '#core/ports/mailer.ts'
import type { Config } from '../config.ts'
import type { Channel } from './channel.ts'
import { machineName } from './machine-name.ts'
import { createMetrics } from './metrics.ts'
import { openParts } from './parts.ts'
import type { Running } from './serve.ts'
import { createJobHandlers } from './use-cases.ts'

/** A working process: takes jobs and does them. */
export async function work(config: Config, log: Log, channel: Channel | undefined): Promise<Running> {
  const parts = await openParts(config, log, channel)
  createMetrics(channel)
  const mailer = openMailer(config)
  const { stores, transact, bus, clock } = parts
  const runner = new JobRunner({
    store: stores.jobs,
    transact,
    handlers: createJobHandlers(config, parts, { mailer, ...NO_BUILDS }),
    bus,
    clock,
    log,
    worker: await machineName(config.dataDir),
  })
  await runner.start()
  return {
    async drain(ms) {
      await runner.drain(ms)
      mailer.close()
      await parts.close()
    },
  }
}

/** Until builds are bound. */
export const NO_BUILDS = {
  builder: {
    build: () =>
      Promise.reject(
        new BuildFailure(
          'builder_unavailable',
          'This version of Aloft serves files as they are; it builds nothing yet.',
        ),
      ),
  },
  runner: { boot: () => Promise.reject(new Error('nothing runs here')) },
  buildsAtOnce: 1,
}

export function openMailer({ smtpUrl, dataDir, domain }: Config): Mailer {
  const from = `Aloft <no-reply@${domain}>`
  return smtpUrl
    ? createSmtpMailer({ url: smtpUrl.reveal(), from })
    : createOutboxMailer({ folder: join(dataDir, 'outbox'), from })
}
