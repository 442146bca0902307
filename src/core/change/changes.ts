import { type Change, type ChangeKind, followChanges } from '#contract/api/change.ts'
import { AloftError } from '#contract/errors.ts'
import { SECOND } from '#contract/time.ts'
import type { Memberships } from '../access/authorise.ts'
import type { Actor, Context } from '../access/context.ts'
import { stillAllowed } from '../access/still-allowed.ts'
import type { Bus } from '../ports/bus.ts'
import { type Audible, announcedAs, audibleTo } from './audible.ts'
import { CASTS_DOUBT, CHANGES_TOPIC, type OwnedChange, readChanges } from './change.ts'

/** Somebody who wants to hear of changes. */
interface Listener {
  hear(changes: readonly Change[]): void
  /** Called now and then, whether or not there was anything to hear. */
  stillThere(): void
  /** They may not listen any more, or this process stops. */
  end(): void
  /** Who they are by now; undefined when their token or session is over. Rejects when there is no telling. */
  findAgain(): Promise<Actor | undefined>
}

interface Following {
  readonly kinds: readonly ChangeKind[]
  /** Hears no more. */
  leave(): void
}

export interface Changes {
  /** Throws when the person, or the account that they act for, has too many listeners already. */
  follow(ctx: Context, listener: Listener): Following
  /** How many listen. */
  count(): number
  /** Ends all listening. */
  close(): void
}

interface ChangesParts {
  readonly bus: Bus
  readonly teams: Memberships
  readonly everyMs?: number
}

/** What waits while there is doubt is not kept without end. */
const MOST_WAITING = 1000

interface Seat {
  readonly personId: string
  readonly ownerId: string
  audible: Audible
  wait(changes: readonly OwnedChange[]): void
  end(): void
}

/** Who may listen at once: browsers of one person, and all of an account. */
const MOST_OF_PERSON = 32
const MOST_OF_ACCOUNT = 200

export function createChanges({ bus, teams, everyMs = 20 * SECOND }: ChangesParts): Changes {
  const seats = new Set<Seat>()
  const byAccount = new Map<string, Set<Seat>>()
  let unsubscribe: (() => void) | undefined
  // What was not heard cannot be told: who follows comes back, and asks for everything again.
  bus.onGap?.(() => {
    for (const seat of [...seats]) seat.end()
  })

  const countOf = (what: 'personId' | 'ownerId', id: string): number => {
    let count = 0
    for (const seat of byAccount.get(id) ?? []) if (seat[what] === id) count++
    return count
  }

  function seatDown(seat: Seat): void {
    unsubscribe ??= bus.subscribe(CHANGES_TOPIC, (text) => spread(readChanges(text)))
    seats.add(seat)
    for (const account of seat.audible.accounts)
      byAccount.set(account, (byAccount.get(account) ?? new Set()).add(seat))
  }

  function getUp(seat: Seat): void {
    seats.delete(seat)
    for (const account of seat.audible.accounts) {
      const there = byAccount.get(account)
      there?.delete(seat)
      if (there?.size === 0) byAccount.delete(account)
    }
    if (seats.size > 0) return
    unsubscribe?.()
    unsubscribe = undefined
  }

  function spread(changes: readonly OwnedChange[]): void {
    const due = new Map<Seat, OwnedChange[]>()
    for (const change of changes)
      for (const seat of byAccount.get(change.ownerId) ?? []) {
        const theirs = due.get(seat)
        if (theirs) theirs.push(change)
        else due.set(seat, [change])
      }
    for (const [seat, theirs] of due) seat.wait(theirs)
  }

  return {
    follow(ctx, listener) {
      const [personId, ownerId] = [ctx.actor.user.id, ctx.owner.id]
      if (countOf('personId', personId) >= MOST_OF_PERSON || countOf('ownerId', ownerId) >= MOST_OF_ACCOUNT)
        throw new AloftError('rate_limited', 'Too many change streams are open. Close some, then try again.')
      let waiting: OwnedChange[] = []
      let checking = false
      let over = false

      function leave(): void {
        if (over) return
        over = true
        clearInterval(timer)
        getUp(seat)
      }

      function end(): void {
        leave()
        listener.end()
      }

      function deliver(): void {
        const heard = announcedAs(waiting.filter((change) => seat.audible.hears(change)))
        waiting = []
        if (heard.length > 0) listener.hear(heard)
      }

      /** Nothing is told while it goes on. */
      async function recheck(): Promise<void> {
        if (checking) return
        checking = true
        for (let doubts = true; doubts && !over; ) {
          const seen = waiting.length
          try {
            const now = await stillAllowed(followChanges, ctx, await listener.findAgain(), teams)
            if (over) return
            if (now === undefined) return end()
            seat.audible = { ...audibleTo(now), accounts: seat.audible.accounts }
          } catch {
            // There is no telling while the database is away; the next turn comes.
          }
          doubts = waiting.slice(seen).some(({ kind }) => CASTS_DOUBT.has(kind))
        }
        checking = false
        if (!over) deliver()
      }

      const seat: Seat = {
        personId,
        ownerId,
        audible: audibleTo(ctx),
        wait(changes) {
          waiting.push(...changes)
          if (waiting.length > MOST_WAITING) return end()
          if (checking) return
          if (changes.some(({ kind }) => CASTS_DOUBT.has(kind))) void recheck()
          else deliver()
        },
        end,
      }
      const timer = setInterval(() => {
        listener.stillThere()
        if (!over) void recheck()
      }, everyMs)
      timer.unref()
      seatDown(seat)
      return { kinds: [...seat.audible.kinds], leave }
    },

    count: () => seats.size,

    close() {
      for (const seat of [...seats]) seat.end()
    },
  }
}
