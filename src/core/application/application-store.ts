import type { Page, PageQuery } from '#contract/page.ts'
import type { Application } from './application.ts'

export interface ApplicationStore {
  /** False when the slug is taken. */
  add(application: Application): Promise<boolean>
  find(ownerId: string, id: string): Promise<Application | undefined>
  byId(id: string): Promise<Application | undefined>
  byClientId(clientId: string): Promise<Application | undefined>
  list(ownerId: string, page: PageQuery): Promise<Page<Application>>
  /** False when it is gone, or the new slug is taken. */
  update(id: string, change: Partial<Omit<Application, 'id' | 'createdAt'>>): Promise<boolean>
  /**
   * Nobody finds it any more but by its id, its tokens are worth nothing, and its log drains are gone: what is on the
   * way to it can still be signed and sent.
   */
  retire(id: string): Promise<void>
  remove(id: string): Promise<void>
}
