import { MINUTE, SECOND } from '#contract/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { periodOf, resetOf } from './period.ts'
import { quotaWords } from './quota-exceeded.ts'
import type { Quotas } from './quotas.ts'
import type { UsageStore } from './usage-store.ts'

interface AllowanceParts {
  readonly quotas: Pick<Quotas, 'limitsById'>
  readonly usage: Pick<UsageStore, 'add' | 'used'>
  readonly clock: Clock
  readonly log: Log
}

interface Account {
  readonly day: string
  readonly dayEnds: number
  /** Bytes of all processes when they were last added up, and of this one since. */
  used: number
  /** Bytes of this process that are not yet written to the database. */
  taken: number
  limit: number | null
  /** Whether the log says already that the limit is reached. */
  isReported: boolean
  lastAt: number
}

/** What a process has counted is written this often; so much of it is lost when it dies. */
const WRITE_EVERY = 5 * SECOND
const FORGOTTEN_AFTER = 10 * MINUTE

/**
 * How much each account may still add to the log today. Asked for every visit and every line, so it answers from memory;
 * what all processes took together is known a few seconds later.
 */
export class LogAllowance {
  readonly #parts: AllowanceParts
  readonly #accounts = new Map<string, Account>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(parts: AllowanceParts) {
    this.#parts = parts
  }

  /** Whether so many more bytes are recorded. The first time that they are not, it answers with what the log says instead. */
  take(ownerId: string, bytes: number, now = this.#parts.clock.now()): true | false | string {
    const account = this.#accountOf(ownerId, now)
    account.lastAt = now
    if (account.limit === null || account.used + bytes <= account.limit) {
      account.used += bytes
      account.taken += bytes
      return true
    }
    if (account.isReported) return false
    account.isReported = true
    return quotaWords({ quota: 'logBytes', limit: account.limit, used: account.used })
  }

  /** Resolves once everything that was taken is written, and what others took is known. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  #accountOf(ownerId: string, now: number): Account {
    if (this.#timer === undefined) this.#plan()
    const known = this.#accounts.get(ownerId)
    return known && now < known.dayEnds ? known : this.#beginDay(ownerId, known, now)
  }

  #plan(): void {
    this.#timer = setTimeout(() => void this.flush(), WRITE_EVERY).unref()
  }

  #beginDay(ownerId: string, known: Account | undefined, now: number): Account {
    const account: Account = {
      day: periodOf('logBytes', now),
      dayEnds: resetOf('logBytes', now) ?? Number.POSITIVE_INFINITY,
      ...{ used: 0, taken: 0, limit: known?.limit ?? null, isReported: false, lastAt: now },
    }
    this.#accounts.set(ownerId, account)
    // What is left of a day that is over is written with it.
    if (known && known.taken > 0) this.#writing = this.#writing.then(() => this.#add([[ownerId, known]]))
    // For the moment until its limit is known, everything is recorded.
    else if (!known) void this.#refresh(ownerId, account).catch((err) => this.#complain(err))
    return account
  }

  async #write(): Promise<void> {
    const { clock } = this.#parts
    const active = [...this.#accounts].filter(([, { taken }]) => taken > 0)
    await this.#add(active)
    for (const [ownerId, account] of this.#accounts) {
      if (clock.now() - account.lastAt > FORGOTTEN_AFTER) this.#accounts.delete(ownerId)
      else await this.#refresh(ownerId, account).catch((err) => this.#complain(err))
    }
  }

  async #add(accounts: readonly (readonly [string, Account])[]): Promise<void> {
    if (accounts.length === 0) return
    const entries = accounts.map(([ownerId, account]) => {
      const entry = { ownerId, what: 'logBytes', period: account.day, amount: account.taken } as const
      account.taken = 0
      return entry
    })
    await this.#parts.usage.add(entries).catch((err) => this.#complain(err))
  }

  async #refresh(ownerId: string, account: Account): Promise<void> {
    const { quotas, usage } = this.#parts
    const { logBytes: limit } = await quotas.limitsById(ownerId)
    const used = await usage.used(ownerId, 'logBytes', account.day)
    account.used = used + account.taken
    if (limit === null || account.used < limit) account.isReported = false
    account.limit = limit
  }

  #complain(err: unknown): void {
    this.#parts.log.warn({ err }, 'the log usage of accounts could not be counted')
  }
}
