import type { LogLevel, ProjectLogSource, ProjectLogType } from '#contract/api/project-log.ts'
import type { LogEntry } from '../log-entry.ts'
import type { LogFilter, ProjectLogFilter, StatusRange } from '../log-store.ts'

type Condition = (entry: LogEntry) => boolean

export const isIn = (status: number | undefined, { from, to }: StatusRange): boolean =>
  status !== undefined && status >= from && status <= to

/** The conditions of a filter, but for where in the log it looks; undefined when it has none. */
const allOf = (conditions: readonly Condition[]): Condition | undefined =>
  conditions.length === 0 ? undefined : (entry) => conditions.every((holds) => holds(entry))

/** Whether an entry of a deployment's log is meant. */
export function deploymentCondition(filter: LogFilter): Condition | undefined {
  const { types, text, name, status, instanceId } = filter
  const conditions: Condition[] = []
  if (types !== undefined) conditions.push(({ type }) => types.includes(type))
  if (name !== undefined) conditions.push(({ info }) => info.name === name)
  if (instanceId !== undefined) conditions.push((entry) => entry.instanceId === instanceId)
  if (status !== undefined) conditions.push(({ request }) => isIn(request?.status, status))
  if (text !== undefined) conditions.push((entry) => entry.text.includes(text))
  return allOf(conditions)
}

const TYPES = {
  request: ({ type }) => type === 'response',
  stdout: ({ type, stream }) => type === 'stdout' && stream === undefined,
  stderr: ({ type, stream }) => type === 'stdout' && stream === 'stderr',
} as const satisfies Record<ProjectLogType, Condition>

/** What each level means: statuses of visits, and whether lines that are errors are of it. */
export const LEVELS = {
  info: { statuses: { from: 0, to: 399 }, errors: false },
  warning: { statuses: { from: 400, to: 499 }, errors: undefined },
  error: { statuses: { from: 500, to: 999 }, errors: true },
} as const satisfies Record<LogLevel, { statuses: StatusRange; errors: boolean | undefined }>

const isOfLevel = ({ request, stream }: LogEntry, level: LogLevel): boolean => {
  const { statuses, errors } = LEVELS[level]
  if (errors === true && stream === 'stderr') return true
  return request?.status === undefined
    ? errors === false && stream === undefined
    : isIn(request.status, statuses)
}

const isFrom = ({ info, request }: LogEntry, source: ProjectLogSource): boolean => {
  switch (source) {
    case 'function':
      return info.type === 'lambda'
    case 'server':
      return info.type === 'instance'
    case 'static':
      return info.type === 'static' && request?.answeredBy === undefined
    default:
      return request?.answeredBy === source
  }
}

/** Whether an entry is meant by a search in the log of a project: an answer to a visit, or what a program wrote. */
export function projectCondition(projectId: string, filter: ProjectLogFilter): Condition {
  const { deploymentId, target, types, levels, sources, statuses, method, path, host, requestId, text } =
    filter
  const conditions: Condition[] = [
    // Entries from before entries had a project are found by their deployment.
    deploymentId === undefined
      ? (entry) => entry.projectId === projectId
      : ({ info, type }) => info.type !== 'build' && (type === 'response' || type === 'stdout'),
  ]
  if (target !== undefined) conditions.push(({ environment }) => environment === target)
  if (types !== undefined) conditions.push((entry) => types.some((type) => TYPES[type](entry)))
  if (levels !== undefined) conditions.push((entry) => levels.some((level) => isOfLevel(entry, level)))
  if (sources !== undefined) conditions.push((entry) => sources.some((source) => isFrom(entry, source)))
  if (statuses !== undefined)
    conditions.push(({ request }) => statuses.some((range) => isIn(request?.status, range)))
  if (method !== undefined) conditions.push(({ request }) => request?.method === method)
  if (path !== undefined)
    conditions.push(({ request }) => {
      if (request === undefined) return false
      return path.anywhere ? request.uri.includes(path.text) : request.uri.startsWith(path.text)
    })
  if (host !== undefined) conditions.push(({ type, info }) => type === 'response' && info.name === host)
  if (requestId !== undefined) conditions.push((entry) => entry.requestId === requestId)
  if (text !== undefined) conditions.push((entry) => entry.text.includes(text))
  return allOf(conditions) as Condition
}
