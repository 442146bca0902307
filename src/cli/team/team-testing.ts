import { DAY } from '#contract/time.ts'
import type { Team } from './find-team.ts'

/** A team as the API answers it, made a day ago. */
export const sampleTeam: Team = {
  id: `team_${'a'.repeat(24)}`,
  slug: 'acme',
  name: 'Acme Inc.',
  creatorId: 'u1',
  created: new Date(Date.now() - DAY).toISOString(),
  avatar: null,
  membersMayEditProduction: false,
}
