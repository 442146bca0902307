import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE } from '#contract/time.ts'
import { sampleProject, sampleSource } from '#test/support/samples.ts'
import { GitError } from '../git-repositories.ts'
import type { Push } from '../push/push.ts'
import type { RefUpdate } from '../push/pushes.ts'
import type { GitSource, RemoteAccess, RemoteRefs } from './source.ts'
import { createPollRound, createSyncJob, type SyncParts } from './sync-job.ts'

const project = sampleProject({ ownerId: 'a' })

/** One project whose repository over SSH answers as it is told. */
function setUp(answer: (access: RemoteAccess) => RemoteRefs, known = new Map<string, string>()) {
  let source: GitSource = sampleSource({
    ...{ ownerId: 'a', projectId: project.id, url: 'ssh://git@git.example/me/site.git' },
  })
  const recorded: Push[] = []
  const sources = {
    find: async () => source,
    update: async (_id: string, change: Partial<GitSource>) => {
      source = { ...source, ...change }
      return true
    },
  }
  const queued: string[] = []
  const pushes = {
    openOf: async () => [],
    newestOf: async (_id: string, ref: string) => recorded.findLast((push) => push.ref === ref),
    add: async (push: Push) => void recorded.push(push),
  }
  const jobs = { begun: async () => {}, enqueue: async ({ kind }: { kind: string }) => queued.push(kind) }
  const accept = async (_id: string, updates: readonly RefUpdate[]) => {
    for (const { ref, after } of updates) after === null ? known.delete(ref) : known.set(ref, after)
  }
  const job = createSyncJob({
    sources,
    pushes,
    projects: { byId: async () => project },
    repositories: {
      ensure: async () => {},
      setHead: async () => {},
      refs: async () => new Map(known),
      accept,
    },
    remotes: {
      refs: async (access: RemoteAccess) => answer(access),
      fetch: async () => {},
      pullRefs: async () => new Map(),
    },
    pulls: { open: async () => [] },
    credentials: {
      host: async () => undefined,
      remote: async ({ url, knownHosts }: GitSource) => ({ url, knownHosts: knownHosts ?? undefined }),
    },
    transact: (work: (stores: object) => unknown) => work({ sources, pushes, jobs }),
    clock: { now: () => 1 },
  } as unknown as SyncParts)
  const run = { signal: new AbortController().signal } as Parameters<typeof job.run>[1]
  return {
    source: () => source,
    recorded,
    queued,
    sync: () => job.run({ projectId: project.id, by: 'poll' }, run),
  }
}

test('the key that a host shows first is asked for ever after, and another one is refused in words', async () => {
  let shown = 'git.example ssh-ed25519 AAAA\n'
  const { source, recorded, sync } = setUp(({ knownHosts }) => {
    if (knownHosts !== undefined && knownHosts !== shown) throw new GitError('Host key verification failed.')
    return { refs: new Map(), head: undefined, knownHosts: shown }
  })
  await sync()
  assert.equal(source().knownHosts, shown)
  await sync()
  assert.equal(source().problem, null)
  shown = 'git.example ssh-ed25519 BBBB\n'
  await sync()
  assert.match(source().problem ?? '', /git\.example has a different SSH host key than before/)
  assert.match(recorded[0]?.reason?.message ?? '', /connect the repository again/)
  assert.match(source().knownHosts ?? '', /AAAA/)
})

test('of hundreds of branches that have moved, none is left out, and production has its turn before others', async () => {
  const [before, now] = ['1'.repeat(40), '2'.repeat(40)]
  const names = Array.from({ length: 120 }, (_, n) => `refs/heads/bot/${n}`)
  const moved = new Map([...names.map((name) => [name, now] as const), ['refs/heads/main', now] as const])
  const known = new Map([
    ...[...moved.keys()].map((ref) => [ref, before] as const),
    ['refs/heads/z', before] as const,
  ])
  const { recorded, queued, sync } = setUp(() => ({ refs: moved, head: 'main' }), known)
  await sync()
  assert.deepEqual([recorded.length, queued.includes('git.sync')], [50, true])
  assert.deepEqual(
    recorded.slice(0, 2).map(({ ref, after }) => [ref, after]),
    [
      ['refs/heads/z', null],
      ['refs/heads/main', now],
    ],
  )
  await sync()
  queued.length = 0
  await sync()
  assert.equal(queued.includes('git.sync'), false)
  assert.deepEqual(recorded.map(({ ref }) => ref).sort(), [...moved.keys(), 'refs/heads/z'].sort())
  assert.deepEqual(known, moved)
})

test('however many repositories are due, and however slow some are, each has its turn', async () => {
  const all = new Map(
    Array.from({ length: 250 }, (_, n) => [
      `prj_${n}`,
      sampleSource({ ownerId: 'a', projectId: `prj_${n}`, dueAt: n }),
    ]),
  )
  const queued: string[] = []
  const sources = {
    due: async (now: number, limit: number) =>
      [...all.values()]
        .filter(({ dueAt }) => dueAt <= now)
        .sort((a, b) => a.dueAt - b.dueAt)
        .slice(0, limit),
    update: async (id: string, change: Partial<GitSource>) => {
      all.set(id, { ...(all.get(id) as GitSource), ...change })
      return true
    },
  }
  const jobs = {
    enqueue: async ({ payload }: { payload: { projectId: string } }) => queued.push(payload.projectId),
  }
  let now = 1000
  const round = createPollRound({
    sources,
    transact: (work: (stores: object) => unknown) => work({ sources, jobs }),
    clock: { now: () => now },
  } as unknown as SyncParts)
  const run = { signal: new AbortController().signal } as Parameters<typeof round.run>[1]
  await round.run({}, run)
  assert.equal(new Set(queued).size, 250)
  await round.run({}, run)
  assert.equal(queued.length, 250)
  now += 5 * MINUTE
  await round.run({}, run)
  assert.equal(queued.length, 500)
})
