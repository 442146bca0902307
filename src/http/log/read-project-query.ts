import {
  LOG_LEVELS,
  PROJECT_LOG_LIMIT,
  PROJECT_LOG_SOURCES,
  PROJECT_LOG_TYPES,
  type ProjectLogsQuery,
} from '#contract/api/project-log.ts'
import { invalidRequest } from '#contract/errors.ts'
import type { ProjectLogFilter } from '#core/log/log-store.ts'
import { asIs, read, readSince, readStatus, readUntil } from './read-query.ts'

interface ReadProjectLog {
  readonly filter: ProjectLogFilter
  readonly follow: boolean
  /** Absent: everything after what was named, as it is followed. */
  readonly limit: number | undefined
}

const listOf =
  <T extends string>(name: string, known: readonly T[]) =>
  (text: string): readonly T[] => {
    const names = text.split(',').map((word) => word.trim())
    const given = known.filter((word) => names.includes(word))
    if (names.some((word) => !(known as readonly string[]).includes(word)))
      throw invalidRequest(`\`${name}\` should be some of ${known.join(', ')}, separated by commas`)
    return given
  }

const readStatuses = (text: string) => text.split(',').map((each) => readStatus(each.trim(), 'status'))

const readPath = (text: string) =>
  text.startsWith('*') ? { text: text.slice(1), anywhere: true } : { text, anywhere: false }

const inCapitals = (text: string): string => text.toUpperCase()
const inSmall = (text: string): string => text.toLowerCase()

export function readProjectQuery(query: ProjectLogsQuery): ReadProjectLog {
  const { follow = false, target } = query
  const filter: ProjectLogFilter = {
    after: read(query.since, readSince),
    before: read(query.until, readUntil),
    deploymentId: read(query.deploymentId, asIs),
    target,
    types: read(query.type, listOf('type', PROJECT_LOG_TYPES)),
    levels: read(query.level, listOf('level', LOG_LEVELS)),
    sources: read(query.source, listOf('source', PROJECT_LOG_SOURCES)),
    statuses: read(query.status, readStatuses),
    method: read(query.method, inCapitals),
    path: read(query.path, readPath),
    host: read(query.host, inSmall),
    requestId: read(query.requestId, asIs),
    text: read(query.q, asIs),
  }
  if (follow && filter.before !== undefined)
    throw invalidRequest('`until` cannot be given together with `follow`')
  const goesOn = follow && filter.after !== undefined
  return { filter, follow, limit: query.limit ?? (goesOn ? undefined : PROJECT_LOG_LIMIT.usual) }
}
