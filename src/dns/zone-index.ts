import { DNS_CHALLENGE } from '#core/certificate/challenge.ts'
import type { Zone, ZoneRecord } from '#core/dns/zone.ts'
import { TYPE } from './codes.ts'
import { encodeName, isWithin, parentOf, plainName } from './name.ts'
import { nameData, type ResourceRecord, readRdata, typeNumber } from './rdata.ts'

/** A name of a zone. One without records is there because of a name below it. */
export interface Node {
  /** By type. Those of one type have one time to live. */
  readonly sets: ReadonlyMap<number, readonly ResourceRecord[]>
  readonly alias: { readonly target: string; readonly ttl: number } | undefined
}

export interface ZoneIndex {
  readonly zone: Zone
  readonly nodes: ReadonlyMap<string, Node>
  /** What an answer without records carries: how long others may keep that there are none. */
  readonly negative: ResourceRecord
}

interface MutableNode {
  sets: Map<number, ResourceRecord[]>
  alias: Node['alias']
}

/** Seconds; they are about transfers, of which there are none, but the last: how long "there is none" is kept. */
const REFRESH = 3600
const RETRY = 600
const EXPIRE = 1_209_600
const NEGATIVE = 60
const APEX_TTL = 3600

/** Makes a zone ready to be asked. Records whose value is not in the form of its type are left out. */
export function indexZone(zone: Zone): ZoneIndex {
  const nodes = new Map<string, MutableNode>()
  const nodeOf = (name: string): MutableNode => {
    let node = nodes.get(name)
    if (node === undefined) {
      node = { sets: new Map(), alias: undefined }
      nodes.set(name, node)
      // A proof for a certificate does not take the name that it is for away from a wildcard.
      if (name !== zone.name && !name.startsWith(DNS_CHALLENGE)) nodeOf(parentOf(name))
    }
    return node
  }
  const soa = startOfAuthority(zone)
  const apex = nodeOf(zone.name)
  apex.sets.set(TYPE.SOA, [soa])
  const servers = zone.nameservers.map((server) => nameServer(zone.name, plainName(server)))
  if (servers.length > 0) apex.sets.set(TYPE.NS, servers)
  const seen = new Set<string>()
  for (const record of zone.records)
    if (isWithin(record.name, zone.name) && encodeName(record.name) !== undefined) add(nodeOf, record, seen)
  // Where no wildcard stands for it, a name with a proof below is there as well: else it would be said that nothing is below it.
  for (const name of [...nodes.keys()]) {
    const above = parentOf(name)
    if (name === zone.name || !name.startsWith(DNS_CHALLENGE) || nodes.has(above)) continue
    if (wildcardFor(nodes, above) === undefined) nodeOf(above)
  }
  for (const { sets } of nodes.values()) for (const [type, set] of sets) sets.set(type, withLeastTtl(set))
  return { zone, nodes, negative: { ...soa, ttl: NEGATIVE } }
}

/** The wildcard directly below the nearest name that is there above one that is not. */
export function wildcardFor<N>(nodes: ReadonlyMap<string, N>, name: string): N | undefined {
  let encloser = parentOf(name)
  while (!nodes.has(encloser)) encloser = parentOf(encloser)
  return nodes.get(`*.${encloser}`)
}

function add(nodeOf: (name: string) => MutableNode, record: ZoneRecord, seen: Set<string>): void {
  const { name, ttl, origin } = record
  if (record.type === 'ALIAS') {
    const target = plainName(record.value)
    if (target !== '' && encodeName(target) !== undefined) nodeOf(name).alias ??= { target, ttl }
    return
  }
  const data = readRdata(record)
  if (data === undefined) return
  const type = typeNumber(record.type)
  const texts = data.parts.map((part) => (typeof part === 'string' ? part : part.toString('latin1')))
  // Nothing is there twice, and a name is another name for one only.
  const key = JSON.stringify(type === TYPE.CNAME ? [name, type] : [name, type, ...texts])
  if (seen.has(key)) return
  seen.add(key)
  const { sets } = nodeOf(name)
  const set = sets.get(type)
  const one = { ...data, name, type, ttl, ...(origin !== undefined && { origin }) }
  if (set === undefined) sets.set(type, [one])
  else set.push(one)
}

function withLeastTtl(set: ResourceRecord[]): ResourceRecord[] {
  const ttl = set.reduce((least, one) => Math.min(least, one.ttl), Number.POSITIVE_INFINITY)
  return set.map((one) => ({ ...one, ttl }))
}

const nameServer = (zone: string, server: string): ResourceRecord => ({
  ...nameData(server),
  name: zone,
  type: TYPE.NS,
  ttl: APEX_TTL,
})

function startOfAuthority({ name, serial, nameservers }: Zone): ResourceRecord {
  const numbers = Buffer.alloc(20)
  for (const [i, number] of [serial >>> 0, REFRESH, RETRY, EXPIRE, NEGATIVE].entries())
    numbers.writeUInt32BE(number, i * 4)
  const contact = `hostmaster.${name}`
  return {
    name,
    type: TYPE.SOA,
    ttl: APEX_TTL,
    parts: [plainName(nameservers[0] ?? name), encodeName(contact) ? contact : name, numbers],
    compress: true,
  }
}
