import { type ListedTarget, READY_STATES, type ReadyState } from '#contract/api/deployment.ts'
import { invalidRequest } from '#contract/errors.ts'
import { PAGE_LIMIT, type PageQuery } from '#contract/page.ts'
import type { DeploymentFilter } from '#core/deployment/deployment-store.ts'

interface ListQuery {
  readonly limit?: number
  readonly since?: number
  readonly until?: number
  readonly from?: number
  readonly to?: number
  readonly app?: string
  readonly projectId?: string
  readonly state?: string
  readonly target?: ListedTarget
  readonly customEnvironmentId?: string
  readonly users?: string
}

const largest = (...values: readonly (number | undefined)[]) =>
  values.reduce((a, b) => (a === undefined ? b : b === undefined ? a : Math.max(a, b)), undefined)
const smallest = (...values: readonly (number | undefined)[]) =>
  values.reduce((a, b) => (a === undefined ? b : b === undefined ? a : Math.min(a, b)), undefined)

/** `from` and `to` are older words for `since` and `until`. */
export function readList(query: ListQuery): { page: PageQuery; filter: DeploymentFilter } {
  const since = largest(query.since, query.from)
  const until = smallest(query.until, query.to)
  const meta = readMeta(query as unknown as Record<string, unknown>)
  return {
    page: {
      limit: query.limit ?? PAGE_LIMIT.older,
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
    },
    filter: {
      ...(query.app === undefined ? {} : { app: query.app }),
      ...(query.projectId === undefined ? {} : { projectId: query.projectId }),
      ...(query.target === undefined ? {} : { target: query.target }),
      ...(query.customEnvironmentId === undefined ? {} : { customEnvironmentId: query.customEnvironmentId }),
      ...(query.state === undefined ? {} : { states: readStates(query.state) }),
      ...(query.users === undefined ? {} : { creators: query.users.split(',').filter(Boolean) }),
      ...(Object.keys(meta).length === 0 ? {} : { meta }),
    },
  }
}

function readStates(text: string): ReadyState[] {
  return text
    .split(',')
    .filter(Boolean)
    .map((name) => {
      const state = READY_STATES.find((known) => known === name.trim().toUpperCase())
      if (state) return state
      throw invalidRequest(`\`state\` should be one of ${READY_STATES.join(', ')}`)
    })
}

function readMeta(query: Readonly<Record<string, unknown>>): Record<string, string> {
  const meta: Record<string, string> = {}
  for (const [name, value] of Object.entries(query)) {
    if (!name.startsWith('meta-')) continue
    if (typeof value !== 'string') throw invalidRequest(`\`${name}\` is given twice`)
    meta[name.slice('meta-'.length)] = value
  }
  return meta
}
