import type { REDIRECT_STATUSES } from '#contract/api/project-domain.ts'

/** A name under which a project is visited. */
export interface ProjectDomain {
  readonly projectId: string
  readonly ownerId: string
  /** In punycode, lower-case. */
  readonly name: string
  readonly apexName: string
  /** Another domain of the project that visitors are sent to. */
  readonly redirect: string | null
  readonly redirectStatusCode: RedirectStatus | null
  /** It shows the newest preview of this branch rather than production. */
  readonly gitBranch: string | null
  readonly customEnvironmentId: string | null
  /** False while another account has the name and the challenge is not met. */
  readonly verified: boolean
  /** What the TXT record on `_platform.<apex>` has to hold while it is not verified. */
  readonly challenge: string | null
  readonly createdAt: number
  readonly updatedAt: number
}

export type RedirectStatus = (typeof REDIRECT_STATUSES)[number]
