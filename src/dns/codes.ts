/** The numbers of record types that we know by name. */
export const TYPE = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  HINFO: 13,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  OPT: 41,
  ANY: 255,
  CAA: 257,
} as const

export const RCODE = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  /** Only with EDNS, which has the upper bits of it. */
  BADVERS: 16,
} as const

export const CLASS_IN = 1

/** Types from here to 255 ask for something other than records: transfers, keys of a transaction. */
export const FIRST_META_TYPE = 249

export const HEADER_BYTES = 12
/** What everybody may be sent, without EDNS. */
export const PLAIN_UDP_BYTES = 512
/** What passes through nearly every network in one piece. */
export const MAX_UDP_BYTES = 1232
export const MAX_TCP_BYTES = 65_535
