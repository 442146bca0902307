import { onlyOnce } from '#core/only-once.ts'

/** An instance that is to be started. */
interface Claim {
  readonly ownerId: string
  readonly memoryMb: number
}

/** What an account may have on all machines together; null is no limit. */
export interface Allowance {
  readonly instances: number | null
  readonly memoryMb: number | null
  /** What it has on other machines. */
  readonly elsewhere: { readonly count: number; readonly memoryMb: number }
}

export const UNLIMITED: Allowance = {
  instances: null,
  memoryMb: null,
  elsewhere: { count: 0, memoryMb: 0 },
}

/** Who has to make room: the account itself, or whoever holds the most. */
export type Obstacle = 'account' | 'machine'

interface AdmissionParts {
  /** Instances at once. */
  readonly instances: number
  /** Of this machine, what the instances of one account may take together. */
  readonly memoryMb: number
  /** Whether the machine has hardly any memory left. */
  readonly isShort: () => boolean
}

interface WaitingStart {
  readonly request: Claim
  allowed: Allowance
  readonly begin: () => void
  readonly fail: (error: Error) => void
}

interface AccountShare {
  count: number
  memoryMb: number
}

/**
 * Leave to start an instance. Limits of memory may add up to more than the machine has, because few use all of theirs;
 * but those of one account never do, so that it cannot fill the machine by itself. While memory is short in fact, only
 * accounts start anything that hold less than an equal share. Who has to wait comes in the order of what the accounts
 * hold, those with the least first.
 */
export class Admission {
  readonly #parts: AdmissionParts
  readonly #shares = new Map<string, AccountShare>()
  readonly #waiting: WaitingStart[] = []
  #taken = 0
  #closed: Error | undefined

  constructor(parts: AdmissionParts) {
    this.#parts = parts
  }

  /** Those that wait, first the one whose turn it would be. */
  get waiting(): readonly (Claim & { readonly obstacle: Obstacle })[] {
    return this.#inOrder().flatMap(({ request, allowed }) => {
      const obstacle = this.#obstacle(request, allowed)
      return obstacle === undefined ? [] : [{ ...request, obstacle }]
    })
  }

  /** Why it would have to wait now. */
  obstacle(request: Claim, allowed: Allowance): Obstacle | undefined {
    return this.#obstacle(request, allowed)
  }

  /** What an account may have now, which what waits was not told when it came: it may have ended something elsewhere since. */
  allow(ownerId: string, allowed: Allowance): void {
    for (const waiting of this.#waiting) if (waiting.request.ownerId === ownerId) waiting.allowed = allowed
    this.look()
  }

  /** Nothing begins from now on: what waits fails with this. */
  close(error: Error): void {
    this.#closed = error
    for (const { fail } of this.#waiting.splice(0)) fail(error)
  }

  /** Resolves with what gives the place back, which may be called again. */
  async take(request: Claim, allowed: Allowance = UNLIMITED): Promise<() => void> {
    if (this.#closed) throw this.#closed
    if (this.#obstacle(request, allowed) === undefined) this.#begin(request)
    else
      await new Promise<void>((begin, fail) => {
        this.#waiting.push({ request, allowed, begin, fail })
      })
    return onlyOnce(() => {
      this.#end(request)
      this.look()
    })
  }

  /** Begins whatever may: something ended, or there may be memory again. */
  look(): void {
    for (;;) {
      const next = this.#inOrder().find(
        ({ request, allowed }) => this.#obstacle(request, allowed) === undefined,
      )
      if (!next) return
      this.#waiting.splice(this.#waiting.indexOf(next), 1)
      this.#begin(next.request)
      next.begin()
    }
  }

  #shareOf(ownerId: string): Readonly<AccountShare> {
    return this.#shares.get(ownerId) ?? { count: 0, memoryMb: 0 }
  }

  #inOrder(): readonly WaitingStart[] {
    const held = ({ request }: WaitingStart) => this.#shareOf(request.ownerId)
    return this.#waiting.toSorted(
      (a, b) => held(a).memoryMb - held(b).memoryMb || held(a).count - held(b).count,
    )
  }

  #obstacle({ ownerId, memoryMb }: Claim, allowed: Allowance): Obstacle | undefined {
    const { instances, memoryMb: machineMb, isShort } = this.#parts
    const own = this.#shareOf(ownerId)
    const { elsewhere } = allowed
    const count = own.count + elsewhere.count
    if (allowed.instances !== null && count >= allowed.instances && count > 0) return 'account'
    const all = own.memoryMb + elsewhere.memoryMb + memoryMb
    if (allowed.memoryMb !== null && all > allowed.memoryMb && count > 0) return 'account'
    // One alone is started even if it may take more than there is: what it takes is bounded by its own limit.
    if (own.count > 0 && own.memoryMb + memoryMb > machineMb) return 'account'
    if (this.#taken >= instances) return 'machine'
    if (this.#taken > 0 && own.memoryMb + memoryMb > this.#equalShare(ownerId) && isShort()) return 'machine'
    return undefined
  }

  #equalShare(ownerId: string): number {
    const accounts = this.#shares.size + (this.#shares.has(ownerId) ? 0 : 1)
    return this.#parts.memoryMb / accounts
  }

  #begin({ ownerId, memoryMb }: Claim): void {
    const share = this.#shares.get(ownerId) ?? { count: 0, memoryMb: 0 }
    share.count++
    share.memoryMb += memoryMb
    this.#shares.set(ownerId, share)
    this.#taken++
  }

  #end({ ownerId, memoryMb }: Claim): void {
    this.#taken--
    const share = this.#shares.get(ownerId)
    if (share === undefined) return
    share.count--
    share.memoryMb -= memoryMb
    if (share.count === 0) this.#shares.delete(ownerId)
  }
}
