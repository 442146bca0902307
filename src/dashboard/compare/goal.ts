import type { Project } from '../project/project.ts'

/** What production is to show. */
export interface Goal {
  readonly id: string
  readonly created: number
  readonly target?: string | undefined
}

/** Whether this goes back: to a production deployment that is older than what is live. An old preview is promoted. */
export const isBack = (
  { targets }: Pick<Project, 'targets'>,
  { created, target }: Pick<Goal, 'created' | 'target'>,
): boolean =>
  target === 'production' && targets.production !== undefined && created < targets.production.createdAt
