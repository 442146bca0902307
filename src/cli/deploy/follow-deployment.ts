import type { Client } from '#client/client.ts'
import type { DeployEvent, Deployment } from '#client/deploy/deploy-event.ts'
import type { Cli } from '../cli.ts'
import { CliError, EXIT } from '../exit.ts'
import { createReporter } from './reporter.ts'
import { showResult } from './show-result.ts'

interface FollowOptions {
  readonly qr?: boolean
  /** Copy the address to the clipboard, where a person looks. */
  readonly copy?: boolean
  /** What to try after Ctrl-C before there was a deployment. */
  readonly nothingYet: string
  readonly onCreated?: (deployment: Deployment) => Promise<void>
}

/** Tells a person what becomes of a deployment, up to its address or what went wrong. Ctrl-C stops watching alone. */
export async function followDeployment(
  cli: Cli,
  api: Client,
  begin: (signal: AbortSignal) => AsyncIterable<DeployEvent>,
  { qr = false, copy = true, nothingYet, onCreated }: FollowOptions,
): Promise<void> {
  const began = cli.now()
  const reporter = createReporter(cli.out, cli.now)
  const interrupt = new AbortController()
  const onInterrupt = () => interrupt.abort()
  process.on('SIGINT', onInterrupt)
  let last: Deployment | undefined
  try {
    for await (const event of begin(interrupt.signal)) {
      reporter.on(event)
      if ('deployment' in event) last = event.deployment
      if (event.type === 'created') await onCreated?.(event.deployment)
    }
  } catch (error) {
    if (interrupt.signal.aborted) throw interrupted(last, nothingYet)
    throw error
  } finally {
    // Ctrl-C reaches us twice where another program started us: the second should not cut the message short.
    if (!interrupt.signal.aborted) process.off('SIGINT', onInterrupt)
    reporter.stop()
  }
  if (last !== undefined)
    await showResult(cli, api, last, { reporter, ms: cli.now() - began, handOver: { qr, copy } })
}

const interrupted = (last: Deployment | undefined, nothingYet: string): CliError =>
  last === undefined
    ? new CliError(EXIT.cancelled, 'Cancelled before anything was deployed.', nothingYet)
    : new CliError(
        EXIT.cancelled,
        'Detached; the build continues.',
        `Watch it with \`aloft logs ${last.id} --build -f\`, or cancel it with \`aloft cancel ${last.id}\`.`,
      )
