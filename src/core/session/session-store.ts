import type { User } from '../user/user.ts'
import type { Session } from './session.ts'

/** Sessions by the hash of the value in their cookie; gone with their user. */
export interface SessionStore {
  insert(session: Session, hash: string): Promise<void>
  /** The session and its user, whatever their state: the caller decides whether it still counts. */
  byHash(hash: string): Promise<{ readonly session: Session; readonly user: User } | undefined>
  /** Those that live at this time, newest first. */
  list(userId: string, now: number, limit: number): Promise<readonly Session[]>
  /** Processes do this side by side; the latest time stays. */
  extend(id: string, expiresAt: number): Promise<void>
  /** Answers whether there was such a session. */
  delete(userId: string, id: string): Promise<boolean>
  /** Answers how many there were. */
  deleteOthers(userId: string, keptId: string): Promise<number>
  prune(now: number): Promise<void>
}
