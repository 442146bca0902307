import type { Revalidation } from './revalidation.ts'

/** What was revalidated of each deployment, for all machines. */
export interface RevalidationStore {
  /** Of several that name the same tag the latest counts. Of a deployment that was deleted nothing is kept. */
  add(deploymentId: string, revalidation: Revalidation): Promise<void>
  of(deploymentId: string): Promise<readonly Revalidation[]>
  /** Has one that names everything stand for all until then. */
  join(deploymentId: string, until: number): Promise<void>
  forget(deploymentId: string): Promise<void>
}
