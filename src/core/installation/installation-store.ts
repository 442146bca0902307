import type { Page, PageQuery } from '#contract/page.ts'
import type { Installation } from './installation.ts'

export interface InstallationStore {
  /** False when the account has the application already. */
  add(installation: Installation): Promise<boolean>
  byId(id: string): Promise<Installation | undefined>
  /** Finds it; until the transaction ends, nobody else changes it. */
  lock(id: string): Promise<Installation | undefined>
  find(ownerId: string, id: string): Promise<Installation | undefined>
  ofApplication(applicationId: string, ownerId: string): Promise<Installation | undefined>
  /** All of an account, newest first; their number is limited. */
  list(ownerId: string, page: PageQuery): Promise<Page<Installation>>
  /** All of an application, by account, for work that goes through them bit by bit. */
  everywhere(applicationId: string, after: string, limit: number): Promise<readonly Installation[]>
  /** Those that a person has made in an account. */
  byUser(ownerId: string, userId: string): Promise<readonly Installation[]>
  disabledBefore(time: number, limit: number): Promise<readonly Installation[]>
  update(id: string, change: Partial<Omit<Installation, 'id' | 'createdAt'>>): Promise<boolean>
  /** Removes it with its tokens, codes and drains. */
  remove(id: string): Promise<void>
}
