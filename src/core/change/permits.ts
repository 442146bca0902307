import type { Endpoint } from '#contract/endpoint.ts'
import { AloftError } from '#contract/errors.ts'
import { SECOND } from '#contract/time.ts'
import type { Memberships } from '../access/authorise.ts'
import type { Actor, Context } from '../access/context.ts'
import type { OpenPermit } from '../access/permit.ts'
import { stillAllowed } from '../access/still-allowed.ts'
import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import { CASTS_DOUBT, CHANGES_TOPIC, type OwnedChange, readChanges } from './change.ts'

/** What somebody was let in for. */
interface AdmittedRequest {
  readonly row: Endpoint
  readonly ctx: Context
  /** Who they are by now; undefined when their token or session is over. Rejects when there is no telling. */
  findAgain(): Promise<Actor | undefined>
  /** Finds what it is about for whoever they are by now, and throws when they may not have it any more. */
  find(ctx: Context): Promise<unknown>
}

export interface Permits {
  of(held: AdmittedRequest): OpenPermit
  /** How many are open. */
  count(): number
}

interface PermitsParts {
  readonly bus: Pick<Bus, 'subscribe' | 'onGap'>
  readonly teams: Memberships
  readonly clock: Pick<Clock, 'monotonic'>
  readonly everyMs?: number
}

interface Seat {
  /** The one that they act for, and their own. */
  readonly accounts: readonly string[]
  doubt(): void
}

/** A project may be given to another account, with all that belongs to it. */
const castsDoubt = ({ kind }: OwnedChange): boolean => CASTS_DOUBT.has(kind) || kind === 'project'

export function createPermits({ bus, teams, clock, everyMs = 20 * SECOND }: PermitsParts): Permits {
  const seats = new Set<Seat>()
  let unsubscribe: (() => void) | undefined
  bus.onGap?.(() => {
    for (const seat of seats) seat.doubt()
  })

  function spread(changes: readonly OwnedChange[]): void {
    const accounts = new Set(changes.filter(castsDoubt).map(({ ownerId }) => ownerId))
    if (accounts.size === 0) return
    for (const seat of seats) if (seat.accounts.some((id) => accounts.has(id))) seat.doubt()
  }

  return {
    of:
      ({ row, ctx, findAgain, find }) =>
      (onDoubt) => {
        let isInDoubt = false
        let checkedAt = clock.monotonic()
        const seat: Seat = {
          accounts: [ctx.owner.id, ctx.actor.user.id],
          doubt() {
            isInDoubt = true
            onDoubt()
          },
        }
        unsubscribe ??= bus.subscribe(CHANGES_TOPIC, (text) => spread(readChanges(text)))
        seats.add(seat)

        async function look(): Promise<boolean> {
          try {
            const now = await stillAllowed(row, ctx, await findAgain(), teams)
            if (now === undefined) return false
            await find(now)
            return true
          } catch (cause) {
            if (cause instanceof AloftError && cause.status < 500) return false
            isInDoubt = true
            throw new AloftError('service_unavailable', 'There is no telling who may go on.', {}, { cause })
          }
        }

        return {
          async holds() {
            let isDue = isInDoubt || clock.monotonic() - checkedAt >= everyMs
            while (isDue) {
              isInDoubt = false
              checkedAt = clock.monotonic()
              if (!(await look())) return false
              // Something may have changed after it was looked at.
              isDue = isInDoubt
            }
            return true
          },
          end() {
            seats.delete(seat)
            if (seats.size > 0) return
            unsubscribe?.()
            unsubscribe = undefined
          },
        }
      },
    count: () => seats.size,
  }
}
