/** Somebody signed in with a browser. The cookie holds a bearer value; only its hash is stored. */
export interface Session {
  readonly id: string
  readonly userId: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly userAgent: string
  readonly ip: string
}

/** Lets a visitor who is signed in here into a guarded site on another host, once. */
export interface SsoPass {
  /** The hash of the nonce that the visitor carries. */
  readonly hash: string
  readonly host: string
  readonly userId: string
  readonly expiresAt: number
}

export interface SsoPassStore {
  add(pass: SsoPass): Promise<void>
  /** Takes it out: a nonce that was used is unknown from then on. */
  take(hash: string, host: string, now: number): Promise<SsoPass | undefined>
  prune(now: number): Promise<void>
}
