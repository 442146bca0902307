import { DAY, HOUR, MINUTE, SECOND } from '#contract/time.ts'
import { grants, type Installation } from '../installation/installation.ts'
import type { InstallationStore } from '../installation/installation-store.ts'
import { InterruptiblePause } from '../interruptible-pause.ts'
import type { JobQueue } from '../job/job-queue.ts'
import { LOGS_TOPIC, type LogStore } from '../log/log-store.ts'
import { firstSerialOf, timeOfSerial } from '../log/serial.ts'
import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { type Outbound, OutboundFailure } from '../ports/outbound.ts'
import type { Transact } from '../ports/transact.ts'
import type { Vault } from '../ports/vault.ts'
import type { PeopleStores } from '../team/account-people.ts'
import { signatureHeaders } from '../webhook/signature.ts'
import { DRAINS_TOPIC, type Drain, drainHeadersPurpose, drainSecretPurpose } from './drain.ts'
import type { Scheme } from './drain-item.ts'
import type { ClaimedDrain, DrainStore, Gap } from './drain-store.ts'
import { CONTENT_TYPE } from './format-batch.ts'
import { type Batch, gatherBatch } from './gather-batch.ts'
import { createLogFeed, type LogFeed } from './log-feed.ts'
import type { FindLogged } from './logged-deployments.ts'

interface SenderStores extends PeopleStores {
  readonly drains: DrainStore
  readonly jobs: JobQueue
}

interface SenderParts {
  readonly drains: DrainStore
  readonly installations: Pick<InstallationStore, 'byId'>
  readonly transact: Transact<SenderStores>
  readonly logStore: Pick<LogStore, 'after' | 'serialBefore'>
  readonly findLogged: FindLogged
  /** Whether the account may have its logs. */
  readonly isBlocked: (ownerId: string) => Promise<boolean>
  /** Tells the people of an account that a drain was given up; inside the transaction. */
  readonly onDead: (stores: SenderStores, drain: Drain) => Promise<void>
  readonly outbound: Pick<Outbound, 'post'>
  readonly vault: Vault
  readonly bus: Pick<Bus, 'subscribe'>
  readonly clock: Clock
  readonly log: Log
  readonly worker: string
  /** By which leases run out: where workers are on several machines, a clock that these share. */
  readonly leaseTime?: (() => Promise<number>) | undefined
  readonly scheme: Scheme
}

/** A drain that this worker sends. */
interface HeldBatch {
  drain: Drain
  installation: Installation | undefined
  /** Nothing is sent, now or later; undefined while that was not looked up. */
  muted: boolean | undefined
  position: string
  gap: Gap | null
  saved: { position: string; at: number }
  /** How often the batch up to `end` was sent in vain. */
  tries: number
  end: string | undefined
  notBefore: number
  /** How often it failed since something arrived; failures of the same hour are one. */
  failures: number
  failedAt: number
  lost: boolean
  running: Promise<void> | undefined
}

type Rights = { readonly installation: Installation | undefined; readonly muted: boolean }

/** Between the three tries of a batch. */
const PAUSES = [10 * SECOND, 2 * MINUTE]
const ANSWER_TIME = 10 * SECOND
/** A receiver to whom nothing got through for this long is given up. */
const DEAD_AFTER = DAY
/** But not before it failed in so many hours: where little is logged, two short failures may be days apart. */
const DEAD_FAILURES = 3
/** Who is further behind goes on from here. */
const MOST_BEHIND = { ms: HOUR, entries: 100_000 } as const

/** Entries that are read at a time where it is only asked where they end. */
const PAGE = 250

const LEASE = 30 * SECOND
/** How long entries are gathered for one request. */
const GATHER_MS = SECOND
const REFRESH = 10 * SECOND
const LONGEST_PAUSE = 5 * SECOND
/** What is read without anything to send is remembered this often. */
const SAVE_EVERY = 10 * SECOND
const AT_ONCE = 32
/** Of those: receivers answer as slowly as they like, and an account has several. */
const OF_ONE_ACCOUNT = 4
/** What one drain sends before others have their turn. */
const TURN = { batches: 10, ms: 2 * SECOND } as const

/**
 * Sends what comes into the log to those who asked for it, from the log itself: a receiver that is slow or away
 * makes nobody wait, and what was not delivered when a process dies is sent by the next. It may arrive twice then,
 * under the same ids.
 */
export class DrainSender {
  readonly #parts: SenderParts
  readonly #feed: LogFeed
  readonly #held = new Map<string, HeldBatch>()
  readonly #stopping = new AbortController()
  readonly #aborting = new AbortController()
  readonly #pause = new InterruptiblePause(this.#stopping.signal)
  #unsubscribes: (() => void)[] = []
  #loop: Promise<void> | undefined
  #refreshAt = 0
  #floor: { serial: string | undefined; until: number } = { serial: undefined, until: 0 }

  constructor(parts: SenderParts) {
    this.#parts = parts
    this.#feed = createLogFeed(parts.logStore)
  }

  start(): void {
    const { bus } = this.#parts
    this.#unsubscribes = [
      bus.subscribe(LOGS_TOPIC, () => this.#pause.wake()),
      bus.subscribe(DRAINS_TOPIC, () => {
        this.#refreshAt = 0
        this.#pause.wake()
      }),
    ]
    this.#loop = this.#run()
  }

  /** Begins nothing more, lets what is on its way arrive within this time, and leaves the drains to others. */
  async drain(ms: number): Promise<void> {
    for (const unsubscribe of this.#unsubscribes) unsubscribe()
    this.#stopping.abort()
    const timer = setTimeout(() => this.#aborting.abort(), ms)
    await this.#loop
    await this.#settled()
    clearTimeout(timer)
    await this.#parts.drains
      .release(this.#parts.worker)
      .catch((err: unknown) => this.#parts.log.warn({ err }, 'log drains could not be released'))
  }

  /** One look at everything, or at the drains it knows of, and its end; for tests. */
  async pass({ refresh = true } = {}): Promise<void> {
    if (refresh) this.#refreshAt = 0
    await this.#look()
    await this.#settled()
  }

  async #settled(): Promise<void> {
    await Promise.all([...this.#held.values()].map(({ running }) => running))
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#look()
      await this.#pause.pause(GATHER_MS, LONGEST_PAUSE)
    }
  }

  async #look(): Promise<void> {
    const { clock, log } = this.#parts
    try {
      if (clock.monotonic() >= this.#refreshAt) await this.#refresh()
    } catch (err) {
      log.warn({ err }, 'log drains could not be read')
    }
    const now = clock.monotonic()
    const accounts = [...this.#held.values()]
      .filter(({ running }) => running)
      .map(({ drain }) => drain.ownerId)
    for (const [id, held] of this.#held) {
      const { ownerId } = held.drain
      if (accounts.length >= AT_ONCE) return
      if (held.running || held.notBefore > now) continue
      if (accounts.filter((account) => account === ownerId).length >= OF_ONE_ACCOUNT) continue
      accounts.push(ownerId)
      held.running = this.#turn(held)
        .catch((err: unknown) => {
          held.notBefore = clock.monotonic() + LONGEST_PAUSE
          log.warn({ err, drain: id }, 'a log drain failed')
        })
        .finally(() => {
          held.running = undefined
          // Who has waited the longest comes first.
          if (this.#held.get(id) !== held) return
          this.#held.delete(id)
          if (!held.lost) this.#held.set(id, held)
        })
    }
  }

  /** Which drains there are, and which of them are this worker's. */
  async #refresh(): Promise<void> {
    const { drains, clock, worker, leaseTime } = this.#parts
    const now = leaseTime ? await leaseTime() : clock.now()
    this.#refreshAt = clock.monotonic() + REFRESH
    const claimed = await drains.claim(worker, now, now + LEASE)
    const ids = new Set(claimed.map(({ drain }) => drain.id))
    for (const [id, held] of this.#held)
      if (!ids.has(id)) {
        held.lost = true
        this.#held.delete(id)
      }
    for (const it of claimed) {
      const held = this.#held.get(it.drain.id) ?? this.#hold(it)
      held.drain = it.drain
      this.#follow(held, await this.#rights(it.drain))
    }
  }

  #hold({ drain, position, gap }: ClaimedDrain): HeldBatch {
    const held: HeldBatch = {
      drain,
      installation: undefined,
      muted: undefined,
      position,
      gap,
      saved: { position, at: this.#parts.clock.monotonic() },
      tries: 0,
      end: undefined,
      notBefore: 0,
      ...{ failures: 0, failedAt: Number.NEGATIVE_INFINITY },
      lost: false,
      running: undefined,
    }
    this.#held.set(drain.id, held)
    return held
  }

  async #rights({ ownerId, installationId }: Drain): Promise<Rights> {
    const { installations, isBlocked } = this.#parts
    const blocked = await isBlocked(ownerId)
    if (installationId === null) return { installation: undefined, muted: blocked }
    const installation = await installations.byId(installationId)
    const allowed =
      installation !== undefined &&
      installation.disabledAt === null &&
      grants(installation.scopes, 'log-drain', 'read')
    return { installation, muted: blocked || !allowed }
  }

  /** Whether the drain and what it may be sent are still as they were when a batch was gathered for it. */
  async #isUnchanged(held: HeldBatch): Promise<boolean> {
    const { id, ownerId } = held.drain
    const drain = await this.#parts.drains.find(ownerId, id)
    if (drain?.status !== 'enabled') {
      held.lost = true
      return false
    }
    const before = JSON.stringify([held.muted, held.installation])
    this.#follow(held, await this.#rights(drain))
    return before === JSON.stringify([held.muted, held.installation])
  }

  #follow(held: HeldBatch, { installation, muted }: Rights): void {
    // What was logged while nothing might be sent is not sent later.
    if (held.muted && !muted && installation !== undefined) {
      const since = firstSerialOf(installation.updatedAt) - 1n
      if (BigInt(held.position) < since) Object.assign(held, { position: String(since), end: undefined })
    }
    Object.assign(held, { installation, muted })
  }

  async #turn(held: HeldBatch): Promise<void> {
    const { clock } = this.#parts
    const until = clock.monotonic() + TURN.ms
    for (let batches = 0; batches < TURN.batches && clock.monotonic() < until; batches++) {
      if (held.lost || this.#stopping.signal.aborted) return
      await this.#catchUp(held)
      const { drain, installation, position, end, gap } = held
      const batch = await gatherBatch(
        { feed: this.#feed, find: this.#parts.findLogged, scheme: this.#parts.scheme },
        { drain, installation, position, upTo: end, gap },
      )
      // An installation can have been disabled, handed over or removed this very moment: whoever was told so must get
      // nothing more, and miss nothing from then on.
      const isSkipped = batch.count === 0 && drain.installationId === null
      if (!isSkipped && batch.position !== position && !(await this.#isUnchanged(held))) continue
      if (batch.count === 0 || held.muted) {
        held.position = batch.position
        held.end = undefined
        await this.#saveNowAndThen(held)
        if (batch.complete) return
      } else if (await this.#post(held, batch)) await this.#arrived(held, batch)
      else if (held.lost || this.#aborting.signal.aborted) return
      else return this.#failed(held, batch)
    }
    // There is more: look again soon.
    this.#pause.wake()
  }

  /** Leaves out what is too old or too much to be sent any more. */
  async #catchUp(held: HeldBatch): Promise<void> {
    const { clock, log, logStore } = this.#parts
    const now = clock.now()
    const oldest = firstSerialOf(now - MOST_BEHIND.ms) - 1n
    let floor = oldest
    // Only those who are behind at all can be behind by so many.
    if (now - timeOfSerial(held.position) > MINUTE) {
      if (clock.monotonic() >= this.#floor.until)
        this.#floor = {
          serial: await logStore.serialBefore(MOST_BEHIND.entries, String(oldest)),
          until: clock.monotonic() + MINUTE,
        }
      const { serial } = this.#floor
      if (serial !== undefined && BigInt(serial) > floor) floor = BigInt(serial)
    }
    if (BigInt(held.position) >= floor) return
    const [next] = await this.#feed.after(held.position)
    if (next === undefined || BigInt(next.serial) > floor) return
    // Where nothing is so new, the clock may be ahead: what comes once it is right is not to be taken for sent.
    const [newer] = await logStore.after(String(floor), 1)
    const position = newer ? String(floor) : await this.#endOfLog(next.serial)
    if (!held.muted) {
      held.gap = widened(held.gap, { from: next.createdAt, to: timeOfSerial(position) })
      log.warn({ drain: held.drain.id, ...held.gap }, 'a log drain is too far behind and skips entries')
    }
    held.position = position
    held.tries = 0
    held.end = undefined
  }

  async #endOfLog(after: string): Promise<string> {
    const { logStore } = this.#parts
    let end = (await logStore.serialBefore(0, after)) ?? after
    for (;;) {
      const last = (await logStore.after(end, PAGE)).at(-1)
      if (last === undefined) return end
      end = last.serial
    }
  }

  /** Whether it arrived. */
  async #post({ drain }: HeldBatch, { body }: Batch): Promise<boolean> {
    const { outbound, vault, log } = this.#parts
    const headers =
      drain.sealedHeaders === null
        ? {}
        : (JSON.parse(vault.open(drain.sealedHeaders, drainHeadersPurpose(drain.id))) as Record<
            string,
            string
          >)
    const secret =
      drain.sealedSecret === null ? undefined : vault.open(drain.sealedSecret, drainSecretPurpose(drain.id))
    try {
      const { status } = await outbound.post({
        url: drain.url,
        headers: {
          'user-agent': 'Aloft-Log-Drain',
          ...headers,
          'content-type': CONTENT_TYPE[drain.format],
          ...(secret === undefined ? {} : signatureHeaders(body, secret)),
        },
        body,
        timeoutMs: ANSWER_TIME,
        signal: this.#aborting.signal,
      })
      if (status >= 200 && status < 300) return true
      log.debug({ drain: drain.id, status }, 'a batch of logs was refused')
    } catch (err) {
      if (!(err instanceof OutboundFailure)) throw err
      log.debug({ drain: drain.id, err }, 'a batch of logs did not arrive')
    }
    return false
  }

  async #arrived(held: HeldBatch, { position }: Batch): Promise<void> {
    const { drains } = this.#parts
    Object.assign(held, { position, gap: null, tries: 0, end: undefined, failures: 0 })
    await this.#save(held)
    if (held.drain.failingSince === null || held.lost) return
    held.drain = { ...held.drain, failingSince: null }
    await drains.update(held.drain.id, { failingSince: null })
  }

  async #failed(held: HeldBatch, { position, times }: Batch): Promise<void> {
    const { clock, log } = this.#parts
    const now = clock.now()
    const pause = PAUSES[held.tries]
    held.tries++
    held.end = position
    if (pause === undefined) {
      if (times) held.gap = widened(held.gap, times)
      log.warn({ drain: held.drain.id, ...times }, 'a batch of logs was not delivered and is skipped')
      Object.assign(held, { position, tries: 0, end: undefined })
      await this.#save(held)
    }
    held.notBefore = clock.monotonic() + (pause ?? PAUSES[0] ?? 0)
    await this.#judge(held, now)
  }

  /** Remembers since when a receiver does not answer, and gives it up in the end. */
  async #judge(held: HeldBatch, now: number): Promise<void> {
    const { drains, transact, onDead } = this.#parts
    const { drain } = held
    if (held.failures === 0 || now - held.failedAt >= HOUR) {
      held.failures++
      held.failedAt = now
    }
    if (drain.failingSince === null) {
      held.drain = { ...drain, failingSince: now }
      await drains.update(drain.id, { failingSince: now })
    } else if (now - drain.failingSince >= DEAD_AFTER && held.failures >= DEAD_FAILURES) {
      held.lost = true
      await transact(async (stores) => {
        if (await stores.drains.giveUp(drain.id)) await onDead(stores, drain)
      })
    }
  }

  async #saveNowAndThen(held: HeldBatch): Promise<void> {
    if (held.position === held.saved.position) return
    if (this.#parts.clock.monotonic() - held.saved.at >= SAVE_EVERY) await this.#save(held)
  }

  async #save(held: HeldBatch): Promise<void> {
    const { drains, worker, clock } = this.#parts
    const { position, gap } = held
    if (await drains.save(held.drain.id, worker, { position, gap })) {
      held.saved = { position, at: clock.monotonic() }
      return
    }
    held.lost = true
    this.#held.delete(held.drain.id)
  }
}

const widened = (gap: Gap | null, { from, to }: Gap): Gap => ({
  from: Math.min(gap?.from ?? from, from),
  to: Math.max(gap?.to ?? to, to),
})
