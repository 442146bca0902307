import { wasLiveBefore } from '#client/production-history.ts'
import type { Project } from '../project/project.ts'

/** What production is to show. */
export interface Promoted {
  readonly id: string
  readonly created: number
  readonly liveAt?: number | undefined
}

/** Whether this goes back, to what production showed before. What was never live is promoted, however old it is. */
export const isBack = ({ targets }: Pick<Project, 'targets'>, promoted: Pick<Promoted, 'liveAt'>): boolean =>
  targets.production !== undefined && wasLiveBefore(promoted, targets.production)
