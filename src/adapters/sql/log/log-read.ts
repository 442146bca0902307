import { pieceOfField, pieceOfText } from '#core/log/log-block.ts'
import type { LogFilter, LogPage, LogQuery, ProjectLogFilter, ProjectLogQuery } from '#core/log/log-store.ts'
import { deploymentCondition, LEVELS, projectCondition } from '#core/log/read/log-filter.ts'
import { readBlocks } from './log-blocks.ts'
import { readLines } from './log-lines.ts'
import { type LogScope, mergeStretches, pageOf, type StretchQuery } from './log-stretch.ts'
import type { LogDb } from './log-tables.ts'

/** The next entries of both tables. Nothing comes into what was looked at later: serials only rise. */
async function readBoth(db: LogDb, query: StretchQuery, lines?: number) {
  const [ofLines, ofBlocks] = await Promise.all([
    readLines(db, query, lines === undefined ? {} : { limit: lines }),
    readBlocks(db, query),
  ])
  return mergeStretches(query.direction, ofLines, ofBlocks)
}

const rangeOf = ({ after, before, direction }: LogQuery | ProjectLogQuery) => ({ after, before, direction })

/** The statuses, and errors, that a block has to hold for anything of it to be meant. */
const heldBy = (filter: LogFilter): StretchQuery['holding'] =>
  filter.status && { statuses: [filter.status], errors: false }

const heldByProject = ({ statuses, levels }: ProjectLogFilter): StretchQuery['holding'] => {
  if (statuses !== undefined) return { statuses, errors: false }
  // Lines that are no errors are of the level `info`, and a block does not say whether it has any.
  if (levels === undefined || levels.includes('info')) return undefined
  return {
    statuses: levels.map((level) => LEVELS[level].statuses),
    errors: levels.some((level) => LEVELS[level].errors === true),
  }
}

const pieceOf = ({ instanceId, text }: LogFilter): string | undefined =>
  instanceId === undefined ? text && pieceOfText(text) : pieceOfField(instanceId)

const pieceOfProject = ({ requestId, path, text }: ProjectLogFilter): string | undefined => {
  const field = requestId ?? path?.text
  return field === undefined ? text && pieceOfText(text) : pieceOfField(field)
}

export async function readEntries(db: LogDb, deploymentId: string, query: LogQuery): Promise<LogPage> {
  const condition = deploymentCondition(query)
  const wanted = { ...rangeOf(query), scope: { deploymentId }, holding: heldBy(query), piece: pieceOf(query) }
  const limit = condition === undefined ? query.limit : undefined
  const stretch = query.builds
    ? await readLines(db, wanted, { builds: true, ...(limit === undefined ? {} : { limit }) })
    : await readBoth(db, wanted, limit)
  return pageOf(stretch, query.limit, condition)
}

export async function readProjectEntries(
  db: LogDb,
  projectId: string,
  query: ProjectLogQuery,
): Promise<LogPage> {
  const { deploymentId } = query
  const scope: LogScope = deploymentId === undefined ? { projectId } : { deploymentId }
  const stretch = await readBoth(db, {
    ...{ ...rangeOf(query), scope, holding: heldByProject(query) },
    piece: pieceOfProject(query),
  })
  return pageOf(stretch, query.limit, projectCondition(projectId, query))
}

export async function readAfter(db: LogDb, serial: string, limit: number): Promise<LogPage['entries']> {
  const stretch = await readBoth(db, { scope: {}, direction: 'forward', after: serial }, limit)
  return pageOf(stretch, limit, undefined).entries
}
