import { MINUTE } from '#contract/time.ts'
import type { JobHandler } from '../../job/job-handler.ts'
import type { JobQueue } from '../../job/job-queue.ts'
import { type GitSource, repositoryOf } from '../source/source.ts'
import type { ConnectionStore } from './connection.ts'
import type { Credentials } from './credentials.ts'
import type { HostHooks } from './host-hooks.ts'

const UNHOOK_JOB = 'git.unhook'

/** In the place of the id of a webhook, where the app of the host has one for all its repositories. */
export const OF_APP = 'app'

/** Has the webhook removed that was made at the host, inside the transaction that has no more use of it. */
export async function queueUnhook(
  jobs: JobQueue,
  { hook, connectionId, ownerId, url }: Pick<GitSource, 'hook' | 'connectionId' | 'ownerId' | 'url'>,
): Promise<void> {
  const hookId = hook?.id
  if (!hookId || hookId === OF_APP || connectionId === null) return
  await jobs.enqueue({
    kind: UNHOOK_JOB,
    payload: { connectionId, ownerId, url, hookId },
    key: `git-unhook:${connectionId}:${hookId}`,
  })
}

/** What the host refuses to the last is kept as a failed job, with the reason. */
export const createUnhookJob = ({
  connections,
  credentials,
  hooks,
}: {
  readonly connections: Pick<ConnectionStore, 'find'>
  readonly credentials: Pick<Credentials, 'connection'>
  readonly hooks: Pick<HostHooks, 'remove'>
}): JobHandler => ({
  kind: UNHOOK_JOB,
  summary: 'Remove a webhook at a Git host',
  timeLimit: 5 * MINUTE,
  // A host may answer as slowly as it likes.
  apart: 2,
  maxAttempts: 8,
  async run({ connectionId, ownerId, url, hookId }, { signal }) {
    // Of another account nothing is signed in with: a project that was given away takes no token with it.
    const connection = await connections.find(String(ownerId), String(connectionId))
    if (!connection) return
    const access = { ...(await credentials.connection(connection)), url: String(url) }
    await hooks.remove(access, repositoryOf(access), String(hookId), signal)
  },
})
