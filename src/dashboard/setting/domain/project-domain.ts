import type { listProjectDomains } from '#contract/api/project-domain.ts'
import type { ReplyOf } from '#contract/endpoint.ts'

export type ProjectDomain = ReplyOf<(typeof listProjectDomains)['reply']>['domains'][number]
