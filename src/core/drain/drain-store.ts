import type { Drain } from './drain.ts'

/** Entries that were not delivered and never will be: from the time of the first to that of the last. */
export interface Gap {
  readonly from: number
  readonly to: number
}

/** How far a drain has come: up to this serial everything was sent, or is not to be. */
interface DrainProgress {
  readonly position: string
  /** What the receiver was not told of yet. */
  readonly gap: Gap | null
}

export interface ClaimedDrain extends DrainProgress {
  readonly drain: Drain
}

/**
 * Drains, and how far each has come. A drain is leased to one worker at a time, so that nobody sends what
 * another is just sending; the lease of a worker that died runs out.
 */
export interface DrainStore {
  /** Begins after this serial. */
  add(drain: Drain, position: string): Promise<void>
  find(ownerId: string, id: string): Promise<Drain | undefined>
  /** All of an account, newest first; their number is limited when they are added. */
  list(ownerId: string): Promise<readonly Drain[]>
  update(id: string, change: Partial<Pick<Drain, 'status' | 'failingSince'>>): Promise<boolean>
  /** False when it is not enabled any more: of several who give it up at once, one does. */
  giveUp(id: string): Promise<boolean>
  remove(ownerId: string, id: string): Promise<boolean>

  /** Leases every enabled drain that no other worker has, those of this worker again, and answers all of them. */
  claim(worker: string, now: number, leaseUntil: number): Promise<readonly ClaimedDrain[]>
  /** False when the worker has lost the lease, or the drain is gone: then nothing is stored. */
  save(id: string, worker: string, progress: DrainProgress): Promise<boolean>
  /** Lets go of all that this worker has. */
  release(worker: string): Promise<void>
}
