import { newId } from '#contract/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import { NOTHING_REPORTED, type Push } from './push.ts'
import type { PushStore } from './push-store.ts'

type NewPush = Pick<
  Push,
  'ownerId' | 'projectId' | 'userId' | 'source' | 'ref' | 'before' | 'after' | 'state'
> &
  Partial<Pick<Push, 'origin' | 'author' | 'message' | 'fork' | 'pull' | 'options' | 'reason'>>

/** Remembers a push, inside the caller's transaction. Those of one ref are told apart by when they came. */
export async function newPush(pushes: PushStore, clock: Clock, given: NewPush): Promise<Push> {
  const earlier = (await pushes.openOf(given.projectId, given.ref)).at(-1)
  const now = clock.now()
  const push: Push = {
    author: null,
    message: null,
    fork: false,
    pull: null,
    options: {},
    reason: null,
    ...given,
    id: newId.push(),
    notes: [],
    deploymentId: null,
    told: NOTHING_REPORTED,
    createdAt: earlier ? Math.max(now, earlier.createdAt + 1) : now,
    stateAt: now,
  }
  await pushes.add(push)
  return push
}
