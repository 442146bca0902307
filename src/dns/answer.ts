import type { Addresses } from '#core/ports/resolver.ts'
import { FIRST_META_TYPE, RCODE, TYPE } from './codes.ts'
import { addressData, type ResourceRecord, textData } from './rdata.ts'
import { type Node, wildcardFor, type ZoneIndex } from './zone-index.ts'

interface Question {
  /** Lower-case. */
  readonly name: string
  readonly type: number
  /** The region that is nearest to who asks, if that is known. */
  readonly near?: string | undefined
}

export interface Answer {
  readonly rcode: number
  /** We are the authority on it. */
  readonly authoritative: boolean
  readonly answers: readonly ResourceRecord[]
  readonly authority: readonly ResourceRecord[]
  /** The name that was asked for is in the zone, as itself or by a wildcard. */
  readonly exists: boolean
  /** When addresses of others that are in it are to be looked up again. */
  readonly expiresAt: number
}

/** The addresses of a name elsewhere that an ALIAS stands for. `failed`: nobody could say. */
export type AliasAddresses = (Addresses & { readonly expiresAt: number }) | 'failed'
/** Undefined when they have to be looked up first. */
type FindAlias = (target: string, type: number) => AliasAddresses | undefined
/** Whether a name is in this zone, and not in another one inside it; a promise where that has to be looked up first. */
type IsInZone = (name: string) => boolean | Promise<void>

/** The question has to wait until these addresses are known. */
interface PendingLookup {
  readonly target: string
  readonly type: number
}

/** The same until it is known which zone a name is in. */
interface PendingZone {
  readonly until: Promise<void>
}

/** More names than anybody chains in earnest. */
export const MAX_CHAIN = 16
const NEVER = Number.POSITIVE_INFINITY

export const refusal = (rcode: number): Answer => ({
  rcode,
  authoritative: false,
  answers: [],
  authority: [],
  exists: false,
  expiresAt: NEVER,
})

/** Answers a question about a name in the zone. */
export function answerFrom(
  index: ZoneIndex,
  question: Question,
  { findAlias, isInZone }: { readonly findAlias: FindAlias; readonly isInZone: IsInZone },
): Answer | PendingLookup | PendingZone {
  const { type } = question
  if (type >= FIRST_META_TYPE && type < TYPE.ANY) return refusal(RCODE.REFUSED)
  const answers: ResourceRecord[] = []
  const visited = new Set<string>()
  let exists = true
  let { name } = question
  const found = (rcode: number, isNegative: boolean, expiresAt = NEVER): Answer => ({
    rcode,
    authoritative: true,
    answers,
    authority: isNegative ? [index.negative] : [],
    exists,
    expiresAt,
  })

  while (!visited.has(name) && visited.size < MAX_CHAIN) {
    visited.add(name)
    const node = findNode(index, name)
    if (node === undefined) {
      if (visited.size === 1) exists = false
      return found(RCODE.NXDOMAIN, true)
    }
    const set = node.sets.get(type)
    if (set !== undefined) {
      answers.push(...owned(nearest(set, question.near), name))
      return found(RCODE.NOERROR, false)
    }
    if (type === TYPE.ANY) {
      answers.push(anyRecord(name))
      return found(RCODE.NOERROR, false)
    }
    const other = node.sets.get(TYPE.CNAME)
    if (other !== undefined) {
      answers.push(...owned(other, name))
      name = other[0]?.parts[0] as string
      const isInside = isInZone(name)
      if (isInside instanceof Promise) return { until: isInside }
      // What is outside is for the asker to follow.
      if (!isInside) return found(RCODE.NOERROR, false)
      continue
    }
    if (node.alias === undefined || !isAddressType(type) || hasAddresses(node))
      return found(RCODE.NOERROR, true)
    const known = findAlias(node.alias.target, type)
    if (known === undefined) return { target: node.alias.target, type }
    if (known === 'failed') return { ...refusal(RCODE.SERVFAIL), exists }
    answers.push(...flattened(known, name, type, node.alias.ttl))
    return found(RCODE.NOERROR, known.addresses.length === 0, known.expiresAt)
  }
  // A circle: there is no answer, and the asker sees why.
  return found(RCODE.SERVFAIL, false)
}

/** The name itself, else the wildcard that stands for it. */
const findNode = ({ nodes }: ZoneIndex, name: string): Node | undefined =>
  nodes.get(name) ?? wildcardFor(nodes, name)

/** What is in the region, and what is in none; everything where nothing is in it. */
function nearest(set: readonly ResourceRecord[], near: string | undefined): readonly ResourceRecord[] {
  if (near === undefined || !set.some(({ origin }) => origin === near)) return set
  return set.filter(({ origin }) => origin === undefined || origin === near)
}

const owned = (set: readonly ResourceRecord[], name: string): readonly ResourceRecord[] =>
  set[0]?.name === name ? set : set.map((record) => ({ ...record, name }))

const isAddressType = (type: number) => type === TYPE.A || type === TYPE.AAAA
/** Addresses of its own win over those of the name that an ALIAS stands for, also in the other family. */
const hasAddresses = ({ sets }: Node) => sets.has(TYPE.A) || sets.has(TYPE.AAAA)

const flattened = (known: Addresses, name: string, type: number, ttl: number): ResourceRecord[] =>
  known.addresses.flatMap((address) => {
    const data = addressData(address)
    const isOfType = address.includes(':') === (type === TYPE.AAAA)
    return data && isOfType ? [{ ...data, name, type, ttl: Math.max(1, Math.min(ttl, known.ttl)) }] : []
  })

/** Stands for "all records", which nobody needs but those who want large answers to be sent to others. */
const anyRecord = (name: string): ResourceRecord => ({
  name,
  type: TYPE.HINFO,
  ttl: 3600,
  parts: [...textData('RFC8482').parts, Buffer.of(0)],
  compress: false,
})
