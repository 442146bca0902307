import type { JobQueue } from '../../job/job-queue.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Transact } from '../../ports/transact.ts'
import type { Credentials } from '../host/credentials.ts'
import type { HostPulls } from '../host/host-pulls.ts'
import type { PushStore } from '../push/push-store.ts'
import type { GitRemotes, GitSource, PullRef, RemoteAccess, SourceStore } from '../source/source.ts'
import { followPull } from './follow-pull.ts'
import type { Pull, PullEvent, PullStore } from './pull.ts'

export interface ReconcileParts {
  readonly pulls: Pick<PullStore, 'open'>
  readonly hostPulls: HostPulls
  readonly remotes: Pick<GitRemotes, 'pullRefs'>
  readonly credentials: Pick<Credentials, 'host'>
  readonly transact: Transact<{
    readonly pushes: PushStore
    readonly pulls: PullStore
    readonly jobs: JobQueue
    readonly sources: SourceStore
  }>
  readonly clock: Clock
}

/** What is believed to have happened, and to be closed. */
interface MissedPulls {
  readonly events: readonly PullEvent[]
  readonly closed: readonly Pull[]
  /** The highest number that was seen. */
  readonly seen: number
}

/** More than one look leads to are left for the next. */
const MOST = 50

/**
 * Finds out which pull requests are open, in case that a call of the host was lost: by its API where something signs in
 * there, else by the refs that some hosts have for them.
 */
export async function reconcilePulls(
  parts: ReconcileParts,
  source: GitSource,
  remote: { readonly access: RemoteAccess; readonly refs: ReadonlyMap<string, string> },
  signal: AbortSignal,
): Promise<void> {
  const { pulls, hostPulls, remotes, credentials, transact, clock } = parts
  const { projectId, ownerId, userId, url, pulls: before } = source
  const askedAt = clock.now()
  const access = await credentials.host(source)
  const known = await pulls.open(projectId)
  const found = access
    ? byApi(known, await hostPulls.open(access, signal))
    : byRefs(known, before, await remotes.pullRefs(remote.access, signal), new Set(remote.refs.values()))
  const whose = { projectId, ownerId, userId, repository: url, by: 'poll' } as const
  // Some hosts list all that are open: those that have not changed are not to take the place of others.
  const commits = new Map(known.map(({ number, commit }) => [number, commit]))
  const news = found.events
    .filter(({ number, commit }) => commits.get(number) !== commit)
    .sort((a, b) => a.number - b.number)
  const followed = news.slice(0, before === null ? undefined : MOST)
  await transact(async (stores) => {
    // What a call of the host has said meanwhile is newer.
    const isLater = async (number: number) =>
      ((await stores.pulls.find(projectId, number))?.updatedAt ?? 0) > askedAt
    for (const event of followed) {
      if (await isLater(event.number)) continue
      // Of a repository that was just connected, what is open is only remembered: new commits are deployed.
      if (before === null && !commits.has(event.number))
        await stores.pulls.save(remembered(source, event, askedAt))
      else await followPull(stores, clock, whose, event)
    }
    for (const pull of found.closed.slice(0, MOST))
      if (!(await isLater(pull.number))) await followPull(stores, clock, whose, closing(pull))
    const isAll = followed.length === news.length
    const seen = Math.max(
      before?.seen ?? 0,
      isAll ? found.seen : highest(followed.map(({ number }) => number)),
    )
    if (before?.seen !== seen) await stores.sources.update(projectId, { pulls: { seen } })
  })
}

const highest = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.max(a, b), 0)

function byApi(
  known: readonly Pull[],
  { pulls, others, isWhole }: Awaited<ReturnType<HostPulls['open']>>,
): MissedPulls {
  const numbers = pulls.map(({ number }) => number)
  const open = new Set([...numbers, ...others])
  return {
    events: pulls,
    closed: isWhole ? known.filter(({ number }) => !open.has(number)) : [],
    seen: highest(numbers),
  }
}

/**
 * Refs tell neither from where a pull request comes nor, at most hosts, that it was closed. One that is new is taken for
 * one of a fork, which waits for a member, unless it is a branch of the repository.
 */
function byRefs(
  known: readonly Pull[],
  before: GitSource['pulls'],
  refs: ReadonlyMap<number, PullRef>,
  heads: ReadonlySet<string>,
): MissedPulls {
  const changed = known.flatMap((pull) => {
    const now = refs.get(pull.number)
    return now && pull.fork && !now.commit.startsWith(pull.commit)
      ? [{ ...closing(pull), action: 'open' as const, commit: now.commit }]
      : []
  })
  const fresh = [...refs].flatMap(([number, { ref, commit }]): PullEvent[] =>
    before === null ||
    number <= before.seen ||
    known.some((one) => one.number === number) ||
    heads.has(commit)
      ? []
      : [
          {
            ...{ action: 'open', number, ref, commit, fetch: { ref }, fork: true },
            ...{ from: 'pull', branch: String(number), title: `Pull request ${number}`, url: null },
          },
        ],
  )
  return {
    events: [...changed, ...fresh],
    // Only where the host shows refs of pull requests at all.
    closed: refs.size === 0 ? [] : known.filter(({ number }) => !refs.has(number)),
    seen: highest([...refs.keys()]),
  }
}

/** A fork is told by the name before the colon; see `followPull`. */
function closing({ number, title, url, fork, branch, commit, ref }: Pull): PullEvent {
  const at = fork ? branch.indexOf(':') : -1
  return {
    ...{ action: 'close', number, title, url, fork, commit, ref, fetch: { ref } },
    from: at === -1 ? '' : branch.slice(0, at),
    branch: branch.slice(at + 1),
  }
}

const remembered = ({ projectId, ownerId, url }: GitSource, event: PullEvent, updatedAt: number): Pull => {
  const { number, title, fork, from, commit, ref } = event
  const branch = fork ? `${from}:${event.branch}` : event.branch
  return {
    ...{ projectId, ownerId, number, repository: url, branch, fork, title, url: event.url, commit, ref },
    ...{ state: 'open', updatedAt },
  }
}
