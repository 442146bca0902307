import type { RecordType } from '#contract/api/dns-record.ts'

/** A name that we answer for, with all that is under it. */
export interface Zone {
  /** Lower-case, without a dot at the end. */
  readonly name: string
  /** Grows with every change, as secondaries expect of it. */
  readonly serial: number
  readonly nameservers: readonly string[]
  readonly records: readonly ZoneRecord[]
}

export interface ZoneRecord {
  /** The whole name, lower-case, without a dot at the end: `*.example.com`. */
  readonly name: string
  readonly type: RecordType
  /** In the form of its type, as a record of the API has it. */
  readonly value: string
  readonly ttl: number
  /** The region that what it leads to is in. Who asks from near one is told of that one alone. */
  readonly origin?: string
}

/** Looks up the zone that a name is in. A change is told on the bus under `ZONES_TOPIC`. */
export interface ZoneSource {
  /** The longest zone that the name is in; undefined when we answer for none. */
  find(name: string): Promise<Zone | undefined>
}

/** The message is the name of the zone that came, changed or went, or `*` for all of them. */
export const ZONES_TOPIC = 'zones'
