/**
 * What an account has ordered of the registrar. It is written before anything is paid, so that whatever
 * dies in between, a name is neither paid for twice nor paid for and lost. A name has one at a time.
 */
export interface Order {
  /** What the registrar knows it by: asked again with it, nothing is bought twice. */
  readonly key: string
  readonly kind: 'buy' | 'transfer'
  readonly ownerId: string
  readonly creatorId: string
  readonly name: string
  /** Whole US dollars, as agreed. */
  readonly price: number
  /**
   * `pending`: may or may not be paid; `paid`: the registrar has confirmed, the account does not show it
   * yet; `moving`: a transfer that has begun; `done`: nothing is left to do.
   */
  readonly state: OrderState
  /** As the registrar has confirmed it. */
  readonly expiresAt: number | null
  readonly createdAt: number
}

/**
 * Whether the name is registered because of an order, or may be: only what nobody has is bought. Whoever made it holds
 * the name at the registrar, in the account or not.
 */
export const isRegistered = ({ kind, expiresAt }: Pick<Order, 'kind' | 'expiresAt'>): boolean =>
  kind === 'buy' || expiresAt !== null

export const ORDER_STATES = ['pending', 'paid', 'moving', 'done'] as const
export type OrderState = (typeof ORDER_STATES)[number]

export interface OrderStore {
  /**
   * Makes an order unless the name has one that is not done. Answers the order that the name has then,
   * whoever made it.
   */
  begin(order: Order): Promise<Order>
  find(name: string): Promise<Order | undefined>
  /** A state never goes back: false when the order is as far already, or the name's order is another one by now. */
  update(
    name: string,
    key: string,
    change: Pick<Order, 'state'> & Partial<Pick<Order, 'expiresAt'>>,
  ): Promise<boolean>
  /** Forgets an order while it is pending, because nothing was paid for. */
  cancel(name: string, key: string): Promise<void>
  /** The oldest first, made before this time. */
  inState(state: OrderState, before: number, limit: number): Promise<readonly Order[]>
}
