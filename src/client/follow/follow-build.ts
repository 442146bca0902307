import { getDeployment, type ReadyState } from '#contract/api/deployment.ts'
import { SECOND } from '#contract/time.ts'
import { type Persistence, persist } from '../call/persist.ts'
import { type Client, pause } from '../client.ts'
import type { DeployEvent, Deployment } from '../deploy/deploy-event.ts'
import { followLog, type LogEvent } from './log-events.ts'

const LOOK_EVERY = SECOND
/** How long the end of the log is waited for once the build has ended. */
const LAST_LINES = 10 * SECOND

const hasEnded = (state: ReadyState): boolean => state === 'READY' || state === 'ERROR'

const outcome = (deployment: Deployment): DeployEvent => ({
  type: deployment.readyState === 'READY' ? 'ready' : 'error',
  deployment,
})

/** The states and the log of a build up to its end, however often the connection breaks. */
export async function* followBuild(
  client: Client,
  created: Deployment,
  { signal, wait = pause }: Persistence = {},
): AsyncGenerator<DeployEvent, void> {
  if (hasEnded(created.readyState)) return yield outcome(created)
  yield { type: 'state', state: created.readyState }
  const stopped = new AbortController()
  const stop = signal === undefined ? stopped.signal : AbortSignal.any([signal, stopped.signal])
  const look = () =>
    persist(() => client.call(getDeployment, { params: { id: created.id }, signal: stop }), {
      signal: stop,
      wait,
      // The build goes on whether or not anybody can see it.
      retryFor: 'long',
    })

  let since = String(created.createdAt)
  const openLog = () =>
    followLog(client, created.id, { builds: true, since }, { signal: stop, wait, retryFor: 'long' })
  let log = openLog()
  let line = log.next()
  let tick = wait(LOOK_EVERY, stop)
  let last = created
  try {
    while (true) {
      const next = await Promise.race([line.then(asLine), tick.then(() => 'look' as const)])
      if (typeof next === 'object') {
        since = next.entry.payload.serial
        yield next
        line = log.next()
        continue
      }
      const now = await look()
      if (now.readyState !== last.readyState) yield { type: 'state', state: now.readyState }
      last = now
      if (hasEnded(now.readyState)) break
      tick = wait(LOOK_EVERY, stop)
      if (next === 'end') {
        // It ended too early: the installation was restarting.
        await tick
        log = openLog()
        line = log.next()
      }
    }
    yield* lastLines(log, line, wait(LAST_LINES, stop))
    yield outcome(last)
  } finally {
    stopped.abort()
    for (const pending of [line, tick]) pending.catch(() => {})
  }
}

const asLine = ({
  done,
  value,
}: IteratorResult<LogEvent, void>): { readonly type: 'log'; readonly entry: LogEvent } | 'end' =>
  done ? 'end' : { type: 'log', entry: value }

async function* lastLines(
  log: AsyncGenerator<LogEvent, void>,
  first: Promise<IteratorResult<LogEvent, void>>,
  limit: Promise<void>,
): AsyncGenerator<DeployEvent> {
  limit.catch(() => {})
  const late = limit.then(() => 'end' as const)
  late.catch(() => {})
  for (let line = first; ; line = log.next()) {
    line.catch(() => {})
    const next = await Promise.race([line.then(asLine), late])
    if (next === 'end') return
    yield next
  }
}
