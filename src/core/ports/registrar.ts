/** Sells names. Every call may fail with a `RegistrarFailure`. */
export interface Registrar {
  isAvailable(name: string): Promise<boolean>
  /** Whole US dollars a year; undefined when names like this are not sold. */
  price(name: string, type: PriceType): Promise<number | undefined>
  /**
   * Buys a name for a year. The key is the buyer's: asked again with the same key, nothing is bought twice
   * and the answer is that of the first time.
   */
  buy(order: Order): Promise<Registration>
  /** What became of a purchase whose answer was lost: undefined when nothing was bought. */
  bought(order: Pick<Order, 'key' | 'name'>): Promise<Registration | undefined>
  /** Begins to move a name from another registrar. Rejects with `invalid_auth_code` or `not_transferable`. */
  startTransfer(order: Order & { readonly authCode: string }): Promise<void>
  transferState(name: string): Promise<TransferState>
  /** Has a name that was moved here answered by the name servers of this installation. */
  delegate(name: string): Promise<void>
}

export type PriceType = 'new' | 'renewal' | 'transfer'

export interface Order {
  readonly key: string
  readonly name: string
  /** As it was agreed; another price is refused with `price_mismatch`. */
  readonly price: number
  readonly nameservers: readonly string[]
}

export interface Registration {
  readonly expiresAt: number
}

export const TRANSFER_STATES = [
  'pending_owner',
  'pending_admin',
  'pending_registry',
  'completed',
  'cancelled',
] as const

export interface TransferState {
  /** Undefined when no transfer was ever begun here. */
  readonly status: (typeof TRANSFER_STATES)[number] | undefined
  readonly transferable: boolean
  readonly reason: string
  readonly expiresAt: number | undefined
}

export type RegistrarRefusal =
  | 'unavailable'
  | 'not_available'
  | 'price_mismatch'
  | 'invalid_auth_code'
  | 'not_transferable'
  | 'unsupported'

export class RegistrarFailure extends Error {
  override readonly name = 'RegistrarFailure'
  readonly reason: RegistrarRefusal
  /** The price as it is, when it is not the agreed one. */
  readonly price: number | undefined

  constructor(reason: RegistrarRefusal, message: string, price?: number, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
    this.price = price
  }
}
