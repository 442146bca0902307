import { YEAR } from '#contract/time.ts'
import { type Domain, newDomain } from '../domain/domain.ts'
import type { DomainChange, DomainStore } from '../domain/domain-store.ts'
import type { EventQueue } from '../event/event.ts'
import { domainEvent } from '../event/event-payloads.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import type { Order, OrderState, OrderStore } from './order.ts'

export interface SettleParts {
  readonly transact: Transact<{
    readonly domains: DomainStore
    readonly orders: OrderStore
    readonly events: EventQueue
  }>
  readonly clock: Clock
  readonly nameservers: readonly string[]
  readonly onZonesChanged: (zones: readonly string[]) => void
}

const blank = ({ ownerId, creatorId, name }: Order, now: number): Domain =>
  newDomain({ ownerId, creatorId, name, serviceWish: null }, now)

/**
 * Takes an order one step on, and shows it in the account's domain in the same transaction. The step is taken
 * once: who comes second changes nothing, but for a domain that was deleted meanwhile and is wanted again.
 */
async function advance(
  { transact, clock, onZonesChanged }: SettleParts,
  order: Order,
  state: OrderState,
  change: (now: number) => DomainChange,
  { adds, verifies }: { readonly adds: boolean; readonly verifies: boolean },
): Promise<Domain | undefined> {
  const { ownerId, name, key } = order
  const shown = await transact(async ({ domains, orders, events }) => {
    const now = clock.now()
    const { expiresAt = order.expiresAt } = change(now)
    const isNew = await orders.update(name, key, { state, expiresAt })
    const found = await domains.find(ownerId, name)
    const isWanted = order.state === state && !found
    if (!isNew && !isWanted) return found
    const domain: Domain = { ...(found ?? blank(order, now)), ...change(now) }
    if (!found && !adds) return undefined
    const kept = found ? await domains.update(found.id, change(now)) : await domains.add(domain)
    if (!kept) throw new Error(`${name} is another account's`)
    if (verifies) await domains.removeOthers(name, domain.id)
    if (!found)
      await events.emit(
        domainEvent({ ownerId, name, delegated: verifies }, { userId: order.creatorId, at: now }),
      )
    return domain
  })
  if (verifies) onZonesChanged([name])
  return shown
}

/** The account has what it paid for. */
export const showBought = (parts: SettleParts, order: Order, expiresAt: number) =>
  advance(
    parts,
    order,
    'done',
    () => ({ boughtAt: order.createdAt, expiresAt, nameservers: parts.nameservers }),
    {
      adds: true,
      verifies: true,
    },
  )

export const showMoving = (parts: SettleParts, order: Order) =>
  advance(parts, order, 'moving', (now) => ({ transferStartedAt: now, transferredAt: null }), {
    adds: true,
    verifies: false,
  })

/** A domain that was deleted while it was on its way stays so. */
export const showMoved = (parts: SettleParts, order: Order, expiresAt: number | undefined) =>
  advance(
    parts,
    order,
    'done',
    (now) => ({
      transferredAt: now,
      expiresAt: expiresAt ?? now + YEAR,
      nameservers: parts.nameservers,
    }),
    { adds: false, verifies: true },
  )

export const showCancelled = (parts: SettleParts, order: Order) =>
  advance(parts, order, 'done', () => ({ transferStartedAt: null }), { adds: false, verifies: false })
