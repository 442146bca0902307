/** What the tickets of TLS sessions are sealed with. */
export interface TicketKey {
  /** By this the key of a ticket is known. */
  readonly name: Buffer
  readonly hmac: Buffer
  readonly aes: Buffer
}

/** The key of new tickets first; older ones still open theirs. */
export type TicketKeys = () => readonly [TicketKey, ...TicketKey[]]
