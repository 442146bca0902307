import type { LogEntry, NewLogEntry } from './log-entry.ts'
import { entriesOfVisit, type NewVisit } from './logged-visit.ts'
import { COUNTS, firstSerialOf, serialAfter, timeOfSerial } from './serial.ts'
import {
  STATUS,
  toVisitRecord,
  toVisitsRecord,
  type VisitRecord,
  type VisitsRecord,
  visitsIn,
} from './visit-columns.ts'
import { logId } from './write/log-ids.ts'

/**
 * What one deployment logged within a moment: visits, and what its programs wrote. Kept as a whole, because rows of
 * their own cost far more than what they hold. No other entry has a serial between its first and its last.
 */
export interface LogBlock {
  /** Of its first entry, which tells it from all others. */
  readonly id: string
  readonly firstSerial: bigint
  readonly lastSerial: bigint
  readonly deploymentId: string
  /** Absent when none of its entries is of a project. */
  readonly projectId?: string
  /** How many entries it is read as. */
  readonly entries: number
  /** Of the lowest and the highest status in it; absent when nothing in it has one. */
  readonly statuses?: { readonly from: number; readonly to: number }
  /** Whether a program wrote an error. */
  readonly hasErrors: boolean
  /** Its records as JSON. */
  readonly body: string
}

interface PlacedEntry {
  readonly entry: NewLogEntry
  readonly serial: bigint
}

/** What of a batch is kept as blocks, and what entry by entry: build output, of which the newest lines are kept. */
interface PackedBatch {
  readonly blocks: readonly LogBlock[]
  readonly lines: readonly PlacedEntry[]
}

/** A record that the log has taken. */
export type NewRecord = NewLogEntry | NewVisit

export const isVisit = (record: NewRecord): record is NewVisit => 'visit' in record

/** More records than this make another block: one is always read whole. */
const MOST_RECORDS = 500

const ENTRY = 1

type EntryRecord = readonly [kind: typeof ENTRY, offset: number, entry: Omit<NewLogEntry, 'deploymentId'>]

const deploymentOf = (record: NewRecord): string =>
  isVisit(record) ? record.visit.deploymentId : record.deploymentId

const projectOf = (record: NewRecord): string | undefined =>
  isVisit(record) ? record.visit.projectId : record.projectId

const statusOf = (record: NewRecord): number | undefined =>
  isVisit(record) ? record.visit.status : record.request?.status

const entriesIn = (record: NewRecord): number => (isVisit(record) ? 2 : 1)

const isEntry = (record: VisitsRecord | EntryRecord): record is EntryRecord => record[0] === ENTRY

function toEntryRecord({ deploymentId: _, ...entry }: NewLogEntry, offset: number): EntryRecord {
  return [ENTRY, offset, entry]
}

/**
 * How visits are stored: each by itself, which versions before the columns read too, or those of a block field by field,
 * which is a quarter of the text.
 */
export type VisitForm = 'records' | 'columns'

function makeBlock(records: readonly NewRecord[], after: bigint, form: VisitForm): LogBlock {
  const first = records[0] as NewRecord
  const firstSerial = serialAfter(after, first.takenAt)
  // Serials are wider than numbers; the distances between those of one block are not.
  const lead = Number(firstSerial - firstSerialOf(first.takenAt))
  let next = 0
  let entries = 0
  let from = Number.POSITIVE_INFINITY
  let to = 0
  let hasErrors = false
  const body: (VisitsRecord | EntryRecord)[] = []
  const visits: NewVisit[] = []
  const offsets: number[] = []
  for (const record of records) {
    const offset = Math.max(next, (record.takenAt - first.takenAt) * COUNTS - lead)
    const length = entriesIn(record)
    next = offset + length
    entries += length
    const status = statusOf(record)
    if (status !== undefined) {
      if (status < from) from = status
      if (status > to) to = status
    }
    if (!isVisit(record)) {
      if (record.stream === 'stderr') hasErrors = true
      body.push(toEntryRecord(record, offset))
    } else if (form === 'records') body.push(toVisitRecord(record, offset))
    else {
      visits.push(record)
      offsets.push(offset)
    }
  }
  if (visits.length > 0) body.push(toVisitsRecord(visits, offsets))
  const ofProject = records.find((record) => projectOf(record) !== undefined)
  const projectId = ofProject && projectOf(ofProject)
  return {
    id: isVisit(first) ? logId(first.takenAt, first.count) : first.id,
    firstSerial,
    lastSerial: firstSerial + BigInt(next - 1),
    deploymentId: deploymentOf(first),
    ...(projectId === undefined ? {} : { projectId }),
    entries,
    ...(to === 0 ? {} : { statuses: { from, to } }),
    hasErrors,
    body: JSON.stringify(body),
  }
}

/** Groups in the order in which they begin; build output of a deployment ends the group before it. */
function groupsOf(batch: readonly NewRecord[]): readonly (NewLogEntry | NewRecord[])[] {
  const groups: (NewLogEntry | NewRecord[])[] = []
  const open = new Map<string, NewRecord[]>()
  for (const record of batch) {
    const deploymentId = deploymentOf(record)
    if (!isVisit(record) && record.info.type === 'build') {
      open.delete(deploymentId)
      groups.push(record)
      continue
    }
    let group = open.get(deploymentId)
    if (group === undefined || group.length === MOST_RECORDS) {
      group = []
      open.set(deploymentId, group)
      groups.push(group)
    }
    group.push(record)
  }
  return groups
}

/** Gives a batch its places in the log, all of them after this serial. */
export function packBatch(batch: readonly NewRecord[], after: bigint, form: VisitForm): PackedBatch {
  const blocks: LogBlock[] = []
  const lines: PlacedEntry[] = []
  let last = after
  for (const group of groupsOf(batch)) {
    if (Array.isArray(group)) {
      const block = makeBlock(group, last, form)
      blocks.push(block)
      last = block.lastSerial
    } else {
      last = serialAfter(last, group.takenAt)
      lines.push({ entry: group, serial: last })
    }
  }
  return { blocks, lines }
}

/** What may be part of a status or of a duration. */
const OF_NUMBERS = /^\d*m?s?$/
/** What is there instead of characters that a database cannot hold. */
const REPLACED = '\ufffd'

const asStored = (text: string): string | undefined =>
  text.isWellFormed() && !text.includes(REPLACED) ? JSON.stringify(text).slice(1, -1) : undefined

/**
 * What the body of every block holds that has an entry with this text; undefined if nothing can be told. The text of a visit
 * is put together from its method, path, status, duration and reason, with spaces between them: so only what is between
 * spaces is stored as it is read.
 */
export function pieceOfText(text: string): string | undefined {
  const pieces = text.split(' ').filter((piece) => !OF_NUMBERS.test(piece))
  return pieces.map(asStored).reduce((a, b) => ((b?.length ?? 0) > (a?.length ?? 0) ? b : a), undefined)
}

/** The same of what a record holds as a whole, such as a part of its path or its id. */
export const pieceOfField = (text: string): string | undefined => (text === '' ? undefined : asStored(text))

/** What a block holds one by one, in its order. */
function recordsOf(body: string): readonly (VisitRecord | EntryRecord)[] {
  const stored = JSON.parse(body) as (VisitsRecord | EntryRecord)[]
  const records = stored.flatMap<VisitRecord | EntryRecord>((record) =>
    isEntry(record) ? [record] : visitsIn(record),
  )
  // Visits that are stored together may have had lines between them.
  return stored.length > 1 ? records.sort(([, a], [, b]) => a - b) : records
}

/** The entries of a block, in their order, but for visits with other statuses than those that are meant. */
export function unpackBlock(
  {
    firstSerial,
    deploymentId,
    projectId = '',
    body,
  }: Pick<LogBlock, 'firstSerial' | 'deploymentId' | 'projectId' | 'body'>,
  isMeant: (status: number) => boolean = () => true,
): LogEntry[] {
  const entries: LogEntry[] = []
  const place = (offset: number) => {
    const serial = String(firstSerial + BigInt(offset))
    return { serial, createdAt: timeOfSerial(serial) }
  }
  for (const record of recordsOf(body)) {
    if (isEntry(record)) {
      const [, offset, { takenAt: _, ...entry }] = record
      entries.push({ ...entry, deploymentId, ...place(offset) })
      continue
    }
    if (!isMeant(record[STATUS])) continue
    const [, offset, takenAt, count, id, at, ms, status, bytes, method, path, ip, userAgent, ...rest] = record
    const [host, protocol, source, entrypoint, environment, region, coldStart, reason] = rest
    const visit = {
      id,
      at,
      ms,
      status,
      bytes,
      method,
      path,
      ip,
      userAgent,
      host,
      protocol,
      source,
      entrypoint,
    }
    const { request, response } = entriesOfVisit(
      {
        ...visit,
        deploymentId,
        projectId,
        environment,
        ...(coldStart === 1 ? { coldStart: true } : {}),
        ...(reason === null ? {} : { reason }),
      },
      region,
    )
    entries.push({ ...request, id: logId(takenAt, count), ...place(offset) })
    entries.push({ ...response, id: logId(takenAt, count + 1), ...place(offset + 1) })
  }
  return entries
}
