/** Asks the world's DNS. Rejects with a `ResolverFailure` when no server answers; what does not exist is an empty list. */
export interface Resolver {
  /** Each record's strings joined. */
  txt(name: string): Promise<readonly string[]>
  /** Lower-case, without a dot at the end. */
  ns(name: string): Promise<readonly string[]>
  cname(name: string): Promise<readonly string[]>
  a(name: string): Promise<Addresses>
  aaaa(name: string): Promise<Addresses>
  caa(name: string): Promise<readonly string[]>
}

export interface Addresses {
  readonly addresses: readonly string[]
  /** Seconds for which they may be kept. */
  readonly ttl: number
}

export class ResolverFailure extends Error {
  override readonly name = 'ResolverFailure'
}
