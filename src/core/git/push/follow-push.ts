import { SECOND } from '#contract/time.ts'
import { type Deployment, environmentNameOf } from '../../deployment/deployment.ts'
import type { DeploymentStore } from '../../deployment/deployment-store.ts'
import { InterruptiblePause } from '../../interruptible-pause.ts'
import type { DeploymentLogs } from '../../log/read/deployment-logs.ts'
import type { Bus } from '../../ports/bus.ts'
import { branchAliasOf } from '../branch-alias.ts'
import { branchOfRef, isOpen, PUSHES_TOPIC, type Push } from './push.ts'
import type { PushStore } from './push-store.ts'

interface FollowPushParts {
  readonly pushes: Pick<PushStore, 'byId'>
  readonly deployments: Pick<DeploymentStore, 'find'>
  readonly logs: Pick<DeploymentLogs, 'follow'>
  readonly bus: Pick<Bus, 'subscribe'>
  /** The address of a site by its host. */
  readonly addressOf: (host: string) => string
}

const POLL = SECOND

/** What whoever pushed is told, line by line, until there is nothing more to say. */
export async function* followPush(
  parts: FollowPushParts,
  { id, ref }: Pick<Push, 'id' | 'ref'>,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const name = branchOfRef(ref) ?? ref
  const pause = new InterruptiblePause(signal)
  const unsubscribe = parts.bus.subscribe(PUSHES_TOPIC, (text) => {
    if (text === id) pause.wake()
  })
  try {
    let lastWords = ''
    for (;;) {
      if (signal.aborted) return
      const push = await parts.pushes.byId(id)
      if (!push) return
      const words = push.reason?.message ?? ''
      if (words !== lastWords && words !== '') yield `${name}: ${words}`
      lastWords = words
      for (const note of isOpen(push) ? [] : push.notes) yield `${name}: ${note}`
      if (push.deploymentId !== null) {
        yield* followDeployment(parts, push.deploymentId, name, signal)
        return
      }
      if (!isOpen(push)) return
      await pause.pause(0, POLL)
    }
  } finally {
    unsubscribe()
  }
}

async function* followDeployment(
  { deployments, logs, addressOf }: FollowPushParts,
  id: string,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const isFinished = async () => {
    const now = await deployments.find(id)
    return now === undefined || now.state === 'READY' || now.state === 'ERROR'
  }
  const first = await deployments.find(id)
  if (first && first.state !== 'READY') {
    const goal = environmentNameOf(first)
    const to = goal === 'preview' ? 'a preview' : goal
    yield `${name}: building ${to}${first.host === null ? '' : ` at ${addressOf(first.host)}`}`
    for await (const { text } of logs.follow(id, { builds: true }, { signal, isFinished })) yield text
  }
  const end = await deployments.find(id)
  if (signal.aborted) return
  if (!end) yield `${name}: the deployment was deleted.`
  else yield* outcome(end, name, addressOf)
}

function* outcome(
  { state, failure, host, aliasFinal, target, ...rest }: Deployment,
  name: string,
  addressOf: (host: string) => string,
): Generator<string, void> {
  if (state === 'ERROR') {
    yield `${name}: the deployment failed: ${failure?.message ?? 'the log says why'}`
    yield 'Your push was stored, and production is unchanged.'
    return
  }
  const ofBranch = branchAliasOf({ ...rest, aliasFinal })
  const others = aliasFinal.slice(1).filter((alias) => alias !== ofBranch)
  const best = target === 'production' ? (others[0] ?? aliasFinal[0] ?? host) : (ofBranch ?? host)
  yield `${name}: ${target === 'production' ? 'live' : 'ready'} at ${addressOf(best ?? '')}`
}
