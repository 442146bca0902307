import { AloftError, invalidRequest } from '#contract/errors.ts'
import { newId } from '#contract/ids.ts'
import type { Context } from '../access/context.ts'
import { isPlatformHost } from '../deployment/hosts.ts'
import { foreignDomain, platformDomain } from '../domain/absent-domain.ts'
import { hasCustomDomains, needsUpgrade } from '../domain/custom-host.ts'
import type { Domain } from '../domain/domain.ts'
import { apexOf, readDomainName } from '../domain/domain-name.ts'
import type { DomainStore } from '../domain/domain-store.ts'
import type { PriceType, Registrar, TransferState } from '../ports/registrar.ts'
import type { Quotas } from '../usage/quotas.ts'
import { isRegistered, type Order, type OrderStore } from './order.ts'
import { readPurchasable, unsupported } from './purchasable-name.ts'
import { ask, notAvailable, notTransferable, priceMismatch, refusalOf, silentRegistrar } from './refusal.ts'
import { type SettleParts, showBought, showMoving } from './settle-order.ts'

interface PurchaseRequest {
  readonly name: string | undefined
  readonly expectedPrice: number | undefined
}

export interface Registrations {
  /** Whether the name can be bought. */
  isAvailable(ctx: Context, name: string | undefined): Promise<boolean>
  /** Whole US dollars a year. */
  price(ctx: Context, name: string | undefined, type: PriceType): Promise<number>
  /** Buys a name for a year. Repeated, it goes on with what was begun. */
  buy(ctx: Context, purchase: PurchaseRequest, rules: { readonly priceRequired: boolean }): Promise<void>
  /** Begins to move a name here from another registrar. */
  transferIn(
    ctx: Context,
    purchase: PurchaseRequest & { readonly authCode: string | undefined },
  ): Promise<Domain>
  /** Whether the name can be moved here, and how far that is if the account has begun it. */
  registry(ctx: Context, name: string): Promise<TransferState & { readonly supported: boolean }>
}

interface RegistrationParts extends SettleParts {
  readonly registrar: Registrar
  readonly orders: OrderStore
  readonly domains: DomainStore
  readonly quotas: Pick<Quotas, 'check'>
  /** The platform's own, which is nobody's to have, whoever sold it. */
  readonly domain: string
}

const missing = (property: string) => invalidRequest(`missing required property \`${property}\``)

export function createRegistrations(parts: RegistrationParts): Registrations {
  const { registrar, orders, domains, quotas, clock, nameservers } = parts

  const isPlatforms = (name: string): boolean => name === parts.domain || isPlatformHost(name, parts.domain)

  async function isFree(ctx: Context, name: string): Promise<boolean> {
    if (isPlatforms(name)) return false
    const holder = await domains.verifiedCovering(name)
    return holder?.name !== name && (await ask(ctx.log, registrar.isAvailable(name)))
  }

  /** The order of the account for the name that is under way; undefined when there is none. */
  async function underWay(ctx: Context, name: string, kind: Order['kind']): Promise<Order | undefined> {
    const order = await orders.find(name)
    if (!order || order.state === 'done') return undefined
    return mine(ctx, order, kind)
  }

  /**
   * What is registered here already is not moved here: trying would forget who has it, and what is at the registrar without
   * an order is its operator's.
   */
  async function checkMovable(ctx: Context, name: string): Promise<void> {
    const order = await orders.find(name)
    if (order && order.state !== 'done') return
    if ((await ask(ctx.log, registrar.bought({ name, key: order?.key ?? '' }))) === undefined) return
    if (!order || !isRegistered(order)) throw notTransferable(name, 'It is with the registrar already.')
    if (order.ownerId !== ctx.owner.id) throw foreignDomain(name)
    throw notTransferable(name, 'It was registered here: add it without a transfer.')
  }

  /** True where a transfer has begun and was not cancelled. */
  async function isMoving(ctx: Context, name: string): Promise<true | undefined> {
    const { status } = await ask(ctx.log, registrar.transferState(name))
    return status === undefined || status === 'cancelled' ? undefined : true
  }

  function mine(ctx: Context, order: Order, kind: Order['kind']): Order {
    if (order.ownerId === ctx.owner.id && order.kind === kind) return order
    throw kind === 'buy' ? notAvailable(order.name) : notTransferable(order.name, 'It was already ordered.')
  }

  async function begin(ctx: Context, name: string, kind: Order['kind'], price: number): Promise<Order> {
    const order: Order = {
      key: newId.request(),
      kind,
      ownerId: ctx.owner.id,
      creatorId: ctx.actor.user.id,
      name,
      price,
      state: 'pending',
      expiresAt: null,
      createdAt: clock.now(),
    }
    return mine(ctx, await orders.begin(order), kind)
  }

  /**
   * Asks for what costs money. Only what was refused for good is forgotten: the rest may have been paid, and so may what an
   * earlier request of the same order asked for.
   */
  async function pay<T>(
    ctx: Context,
    { name, key }: Order,
    payment: Promise<T>,
    earlier?: () => Promise<T | undefined>,
  ): Promise<T> {
    try {
      return await payment
    } catch (error) {
      const refusal = refusalOf(error, name)
      if (refusal) {
        const paid = await earlier?.()
        if (paid !== undefined) return paid
        await orders.cancel(name, key)
        throw refusal
      }
      ctx.log.error({ err: error, name, order: key }, 'it is unknown whether an order was paid')
      throw silentRegistrar(error)
    }
  }

  /** What was paid while the order was given up, since it was begun long ago, is written down again. */
  async function confirm(order: Order, expiresAt: number): Promise<void> {
    const { name, key } = order
    const paid = { state: 'paid', expiresAt } as const
    if ((await orders.update(name, key, paid)) || (await orders.find(name))) return
    await orders.begin({ ...order, state: 'pending' })
    await orders.update(name, key, paid)
  }

  const orderFor = ({ key, name, price }: Order) => ({ key, name, price, nameservers })

  /** What was paid for and cannot be shown now is shown later, by the job that settles orders. */
  async function shown<T>(ctx: Context, { name, key }: Order, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      ctx.log.error({ err: error, name, order: key }, 'a paid domain could not be added to the account')
      throw new AloftError(
        'failed_to_add_domain',
        `The domain \`${name}\` was ordered, but isn't in the account yet. It will be added automatically.`,
        { name },
        { cause: error },
      )
    }
  }

  return {
    async isAvailable(ctx, text) {
      const name = readPurchasable(text)
      if ((await ask(ctx.log, registrar.price(name, 'new'))) === undefined) throw unsupported(name)
      return isFree(ctx, name)
    },

    async price(ctx, text, type) {
      const name = readPurchasable(text)
      const price = await ask(ctx.log, registrar.price(name, type))
      if (price === undefined) throw unsupported(name)
      return price
    },

    async buy(ctx, { name: text, expectedPrice }, { priceRequired }) {
      const name = readPurchasable(text)
      if (expectedPrice === undefined && priceRequired) throw missing('expectedPrice')
      if (!hasCustomDomains(ctx.owner)) throw needsUpgrade()
      const checkPrice = (price: number) => {
        if (expectedPrice !== undefined && expectedPrice !== price) throw priceMismatch(price)
      }
      const begunBefore = await underWay(ctx, name, 'buy')
      let order = begunBefore
      if (order) checkPrice(order.price)
      else {
        const price = await ask(ctx.log, registrar.price(name, 'new'))
        if (price === undefined) throw unsupported(name)
        checkPrice(price)
        if (!(await isFree(ctx, name))) throw notAvailable(name)
        if (!(await domains.find(ctx.owner.id, name))) await quotas.check(ctx.owner, 'domains', 1)
        order = await begin(ctx, name, 'buy', price)
      }
      const begun = order
      const earlier = begunBefore && (() => ask(ctx.log, registrar.bought(begunBefore)))
      const payment = () => pay(ctx, begun, registrar.buy(orderFor(begun)), earlier)
      const expiresAt = begun.expiresAt ?? (await payment()).expiresAt
      await shown(ctx, begun, async () => {
        await confirm(begun, expiresAt)
        await showBought(parts, begun, expiresAt)
      })
    },

    async transferIn(ctx, { name: text, authCode, expectedPrice }) {
      if (ctx.actor.token.kind === 'oauth2')
        throw new AloftError('forbidden', 'Integrations can’t do this, whatever their scopes.')
      const name = readDomainName(text)
      if (authCode === undefined) throw missing('authCode')
      if (expectedPrice === undefined) throw missing('expectedPrice')
      if (!hasCustomDomains(ctx.owner)) throw needsUpgrade()
      if (isPlatforms(name)) throw platformDomain(parts.domain)
      const own = await domains.find(ctx.owner.id, name)
      if (own)
        throw new AloftError('domain_already_exists', `The domain \`${name}\` is already in your account.`, {
          name,
          uid: own.id,
        })
      const holder = await domains.verifiedCovering(name)
      if (holder?.name === name) throw foreignDomain(name)
      if (apexOf(name) !== name) throw notTransferable(name, 'Only whole domains can be transferred.')
      await checkMovable(ctx, name)
      const begunBefore = await underWay(ctx, name, 'transfer')
      let order = begunBefore
      const price = order?.price ?? (await ask(ctx.log, registrar.price(name, 'transfer')))
      if (price === undefined) throw notTransferable(name, 'Domains like this cannot be transferred in.')
      if (price !== expectedPrice) throw priceMismatch(price)
      if (!order) await quotas.check(ctx.owner, 'domains', 1)
      order ??= await begin(ctx, name, 'transfer', price)
      const begun = order
      if (begun.state === 'pending')
        await pay(
          ctx,
          begun,
          registrar.startTransfer({ ...orderFor(begun), authCode }).then(() => true),
          begunBefore && (() => isMoving(ctx, name)),
        )
      return shown(ctx, begun, async () => {
        const domain = await showMoving(parts, begun)
        if (!domain) throw new Error('the domain no longer exists')
        return domain
      })
    },

    async registry(ctx, text) {
      const name = readPurchasable(text)
      const [state, price, order] = await Promise.all([
        ask(ctx.log, registrar.transferState(name)),
        ask(ctx.log, registrar.price(name, 'transfer')),
        orders.find(name),
      ])
      const own = order?.ownerId === ctx.owner.id && order.kind === 'transfer'
      return { ...state, status: own ? state.status : undefined, supported: price !== undefined }
    },
  }
}
