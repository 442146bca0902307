import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE } from '#contract/time.ts'
import { sampleProject, sampleSource } from '#test/support/samples.ts'
import { GitError } from '../git-repositories.ts'
import type { Push } from '../push/push.ts'
import type { GitSource, RemoteAccess, RemoteRefs } from './source.ts'
import { createPollRound, createSyncJob, type SyncParts } from './sync-job.ts'

const project = sampleProject({ ownerId: 'a' })

/** One project whose repository over SSH answers as it is told. */
function setUp(answer: (access: RemoteAccess) => RemoteRefs) {
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
  const pushes = { openOf: async () => [], add: async (push: Push) => void recorded.push(push) }
  const job = createSyncJob({
    sources,
    pushes,
    projects: { byId: async () => project },
    repositories: { ensure: async () => {}, refs: async () => new Map() },
    remotes: { refs: async (access: RemoteAccess) => answer(access), pullRefs: async () => new Map() },
    pulls: { open: async () => [] },
    credentials: {
      host: async () => undefined,
      remote: async ({ url, knownHosts }: GitSource) => ({ url, knownHosts: knownHosts ?? undefined }),
    },
    transact: (work: (stores: object) => unknown) =>
      work({ sources, pushes, jobs: { begun: async () => {} } }),
    clock: { now: () => 1 },
  } as unknown as SyncParts)
  const run = { signal: new AbortController().signal } as Parameters<typeof job.run>[1]
  return { source: () => source, recorded, sync: () => job.run({ projectId: project.id, by: 'poll' }, run) }
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
