import type { TrafficTarget } from '#contract/api/analytics.ts'
import type { SiteVisit } from '../site/site.ts'
import type { NewVisit } from './logged-visit.ts'

const VISIT = 0

/** A visit as it is stored by itself. In this order, because that is how visits resemble each other the most. */
export type VisitRecord = readonly [
  kind: typeof VISIT,
  offset: number,
  takenAt: number,
  count: number,
  id: string,
  at: number,
  ms: number,
  status: number,
  bytes: number,
  method: string,
  path: string,
  ip: string,
  userAgent: string,
  host: string,
  protocol: string,
  source: SiteVisit['source'],
  entrypoint: string,
  environment: TrafficTarget,
  region: string,
  coldStart: 0 | 1,
  reason: string | null,
]
/** Where a visit has its status. */
export const STATUS = 7

/** What a field has in each visit, in their order; one value where all have the same. */
type Column<T> = readonly T[]

/** What visits of a moment mostly share. */
type Setting = readonly [
  method: string,
  host: string,
  protocol: string,
  source: SiteVisit['source'],
  environment: TrafficTarget,
  region: string,
  coldStart: 0 | 1,
  reason: string | null,
]

/** Visits that follow one that is stored by itself, field by field. */
type FollowingVisits = readonly [
  many: number,
  /** These four less what the visit before has. */
  offset: Column<number>,
  takenAt: Column<number>,
  count: Column<number>,
  at: Column<number>,
  tenthsOfMs: Column<number>,
  status: Column<number>,
  bytes: Column<number>,
  id: Column<string>,
  path: Column<string>,
  ip: Column<string>,
  /** Of what comes again and again each is there once, and then which of them each visit has. */
  userAgents: readonly string[],
  userAgent: Column<number>,
  entrypoints: readonly string[],
  entrypoint: Column<number>,
  settings: readonly Setting[],
  setting: Column<number>,
]

/**
 * All visits of a block. The version before, which knows no columns, reads the first of them and passes over what is
 * behind its fields.
 */
export type VisitsRecord = readonly [...visit: VisitRecord, following?: FollowingVisits]

/** Longer than what is shown of it, so that nothing is cut twice. */
const MOST_TEXT = 4096
const cut = (text: string): string => (text.length > MOST_TEXT ? text.slice(0, MOST_TEXT) : text)

const tenthsOf = (ms: number): number => Math.round(ms * 10)

export function toVisitRecord({ visit, takenAt, count, region }: NewVisit, offset: number): VisitRecord {
  return [
    VISIT,
    offset,
    takenAt,
    count,
    visit.id,
    visit.at,
    tenthsOf(visit.ms) / 10,
    visit.status,
    visit.bytes,
    visit.method,
    cut(visit.path),
    visit.ip,
    cut(visit.userAgent),
    cut(visit.host),
    visit.protocol,
    visit.source,
    cut(visit.entrypoint),
    visit.environment,
    region,
    visit.coldStart === true ? 1 : 0,
    visit.reason ?? null,
  ]
}

/** Texts, each once, in the order in which they were first met. */
class Texts {
  readonly list: string[] = []
  readonly #places = new Map<string, number>()

  /** Where in the list it is. */
  place(text: string): number {
    let place = this.#places.get(text)
    if (place === undefined) {
      place = this.list.push(cut(text)) - 1
      this.#places.set(text, place)
    }
    return place
  }
}

/** The same of settings, of which there are so few that they are compared one by one. */
class Settings {
  readonly list: Setting[] = []
  readonly #visits: NewVisit[] = []

  place(visit: NewVisit): number {
    const last = this.#visits.length - 1
    for (let place = last; place >= 0 && place > last - MOST_COMPARED; place--)
      if (isAlike(this.#visits[place] as NewVisit, visit)) return place
    this.#visits.push(visit)
    return this.list.push(settingOf(visit)) - 1
  }
}
/** One that was met earlier than these is there again. */
const MOST_COMPARED = 8

const isAlike = ({ visit: a, region }: NewVisit, { visit: b, region: other }: NewVisit): boolean =>
  a.method === b.method &&
  a.host === b.host &&
  a.protocol === b.protocol &&
  a.source === b.source &&
  a.environment === b.environment &&
  region === other &&
  a.coldStart === b.coldStart &&
  a.reason === b.reason

const settingOf = ({ visit, region }: NewVisit): Setting => [
  visit.method,
  cut(visit.host),
  visit.protocol,
  visit.source,
  visit.environment,
  region,
  visit.coldStart === true ? 1 : 0,
  visit.reason ?? null,
]

/** Once for numbers and once for texts, because the engine compares either faster than both. */
function ofNumbers(values: readonly number[]): Column<number> {
  const first = values[0]
  for (let i = 1; i < values.length; i++) if (values[i] !== first) return values
  return values.slice(0, 1)
}

function ofTexts(values: readonly string[]): Column<string> {
  const first = values[0]
  for (let i = 1; i < values.length; i++) if (values[i] !== first) return values
  return values.slice(0, 1)
}

/** In one pass, and all lists begin empty: of lists with holes JSON is made several times as slowly. */
function toColumns(visits: readonly NewVisit[], offsets: readonly number[]): FollowingVisits {
  const offset: number[] = []
  const takenAt: number[] = []
  const count: number[] = []
  const at: number[] = []
  const tenths: number[] = []
  const status: number[] = []
  const bytes: number[] = []
  const id: string[] = []
  const path: string[] = []
  const ip: string[] = []
  const userAgent: number[] = []
  const entrypoint: number[] = []
  const setting: number[] = []
  const userAgents = new Texts()
  const entrypoints = new Texts()
  const settings = new Settings()
  let before = visits[0] as NewVisit
  for (let i = 1; i < visits.length; i++) {
    const record = visits[i] as NewVisit
    const { visit } = record
    offset.push((offsets[i] as number) - (offsets[i - 1] as number))
    takenAt.push(record.takenAt - before.takenAt)
    count.push(record.count - before.count)
    at.push(visit.at - before.visit.at)
    tenths.push(tenthsOf(visit.ms))
    status.push(visit.status)
    bytes.push(visit.bytes)
    id.push(visit.id)
    path.push(cut(visit.path))
    ip.push(visit.ip)
    userAgent.push(userAgents.place(visit.userAgent))
    entrypoint.push(entrypoints.place(visit.entrypoint))
    setting.push(settings.place(record))
    before = record
  }
  return [
    offset.length,
    ofNumbers(offset),
    ofNumbers(takenAt),
    ofNumbers(count),
    ofNumbers(at),
    ofNumbers(tenths),
    ofNumbers(status),
    ofNumbers(bytes),
    ofTexts(id),
    ofTexts(path),
    ofTexts(ip),
    userAgents.list,
    ofNumbers(userAgent),
    entrypoints.list,
    ofNumbers(entrypoint),
    settings.list,
    ofNumbers(setting),
  ]
}

/** Visits in the order of their offsets, of which there is at least one. */
export function toVisitsRecord(visits: readonly NewVisit[], offsets: readonly number[]): VisitsRecord {
  const first = toVisitRecord(visits[0] as NewVisit, offsets[0] as number)
  return visits.length === 1 ? first : [...first, toColumns(visits, offsets)]
}

const valueAt = <T>(column: Column<T>, i: number): T => column[column.length === 1 ? 0 : i] as T

/** Each visit of a record as if it were stored by itself. */
export function visitsIn(record: VisitsRecord): VisitRecord[] {
  const visits: VisitRecord[] = [record as unknown as VisitRecord]
  const following = record[FOLLOWING]
  if (following === undefined) return visits
  const [many, offsets, takenAts, counts, ats, tenths, statuses, sizes, ids, paths, ips, ...rest] = following
  const [userAgents, userAgent, entrypoints, entrypoint, settings, setting] = rest
  let [, offset, takenAt, count, , at] = record
  for (let i = 0; i < many; i++) {
    offset += valueAt(offsets, i)
    takenAt += valueAt(takenAts, i)
    count += valueAt(counts, i)
    at += valueAt(ats, i)
    const [method, host, protocol, source, environment, region, coldStart, reason] = settings[
      valueAt(setting, i)
    ] as Setting
    visits.push([
      VISIT,
      offset,
      takenAt,
      count,
      valueAt(ids, i),
      at,
      valueAt(tenths, i) / 10,
      valueAt(statuses, i),
      valueAt(sizes, i),
      method,
      valueAt(paths, i),
      valueAt(ips, i),
      userAgents[valueAt(userAgent, i)] as string,
      host,
      protocol,
      source,
      entrypoints[valueAt(entrypoint, i)] as string,
      environment,
      region,
      coldStart,
      reason,
    ])
  }
  return visits
}
/** Where a record has the visits that follow. */
const FOLLOWING = 21
