import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { postgresServers } from '#contract/postgres-servers.ts'
import { SECOND } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { createListeners } from '../bus/listeners.ts'
import { createRareWarning } from '../redis/rare-warning.ts'

interface PostgresRelayOptions {
  /** May name several servers: a standby passes nothing on, so the one that takes writes is found. */
  readonly url: string
  readonly log: Log
  readonly clock?: Clock
}

/** Passes messages on to the other processes of an installation; the one that sends is not told its own. */
export interface Relay {
  send(topic: string, message: string): void
  subscribe(topic: string, listener: (message: string) => void): () => void
  /** Called after a time in which messages of others may have been lost; the time before the first connection is one. */
  onGap(listener: () => void): () => void
  /** Resolves once messages of others arrive. */
  untilHearing(): Promise<void>
  close(): Promise<void>
}

const CHANNEL = 'aloft_bus'
const GAP = 'gap'
const CONNECT_TIMEOUT = 2 * SECOND
/** A connection that was cut looks like one on which nothing is said. */
const LOOK_EVERY = SECOND
const SILENCE = 1.5 * SECOND
const FIRST_PAUSE = 50
const LONGEST_PAUSE = SECOND
const FAREWELL = SECOND
/** The server refuses longer ones; what is told are names. */
const MAX_BYTES = 7_900
/** What could not be sent is sent once the database is back; beyond so many, those that came first. */
const MOST_UNSENT = 1000
/** What waits while a query is under way goes with the next one, so many at a time. */
const AT_ONCE = 500
const NOTIFY = 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload'

/** Whether the server would refuse the same again, as what its encoding has no letters for. */
const isRefused = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code?.startsWith('22') === true

/** Over a connection of its own to the database that all machines have in common (LISTEN and NOTIFY). */
export function createPostgresRelay({ url, log, clock = systemClock }: PostgresRelayOptions): Relay {
  const listeners = createListeners(log)
  const gaps = createListeners(log)
  let unsent = new Set<string>()
  const warn = createRareWarning(
    log,
    'The database does not pass messages on: other machines may act on old state',
    clock,
  )
  const self = randomUUID()
  const servers = postgresServers(url) ?? [url]
  let at = 0
  let begun: pg.Client | undefined
  /** Sends what waits over the connection that listens; undefined while there is none. */
  let speak: (() => Promise<void>) | undefined
  const hearing = Promise.withResolvers<void>()
  let isClosed = false
  let waits = FIRST_PAUSE
  let retry: NodeJS.Timeout | undefined

  async function connect(): Promise<void> {
    const next = new pg.Client({
      connectionString: servers[at],
      application_name: 'aloft bus',
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      query_timeout: SILENCE,
      keepAlive: true,
    })
    begun = next
    let looking: NodeJS.Timeout | undefined
    let isOver = false
    const giveUp = (error: unknown) => {
      if (isOver) return
      isOver = true
      clearInterval(looking)
      speak = undefined
      unsent = new Set([...unsent].slice(0, MOST_UNSENT))
      // Not waited for: the other side may be gone. What it still has to say does not count.
      next.end().catch(() => {})
      if (isClosed) return
      warn(error)
      at = (at + 1) % servers.length
      retry = setTimeout(() => void connect(), waits).unref()
      waits = Math.min(waits * 2, LONGEST_PAUSE)
    }
    next.on('error', giveUp).on('end', () => giveUp(new Error('the connection has ended')))
    next.on('notification', ({ payload = '' }) => {
      if (isOver || payload.startsWith(self)) return
      const [topic = '', ...message] = payload.slice(self.length).split('\n')
      listeners.tell(topic, message.join('\n'))
    })
    try {
      await next.connect()
      await next.query(`LISTEN ${CHANNEL}`)
    } catch (error) {
      return giveUp(error)
    }
    if (isClosed || isOver) return giveUp(undefined)
    let speaking: Promise<void> | undefined
    const sendAll = async () => {
      try {
        if (unsent.size === 0) await next.query('SELECT 1')
        while (unsent.size > 0) await sendSome(next)
      } catch (error) {
        giveUp(error)
        // Another connection may listen by now.
        void speak?.()
      } finally {
        speaking = undefined
      }
    }
    // A connection takes one query at a time; the one under way tells as well whether the other side is still there.
    speak = () => {
      speaking ??= sendAll()
      return speaking
    }
    looking = setInterval(() => void speak?.(), LOOK_EVERY).unref()
    waits = FIRST_PAUSE
    if (unsent.size > 0) void speak()
    hearing.resolve()
    gaps.tell(GAP, '')
  }

  async function notify(client: pg.Client, batch: readonly string[]): Promise<void> {
    try {
      await client.query(NOTIFY, [CHANNEL, batch])
    } catch (error) {
      if (!isRefused(error)) throw error
      if (batch.length === 1) return warn(error)
      for (const payload of batch) await notify(client, [payload])
    }
  }

  async function sendSome(client: pg.Client): Promise<void> {
    const batch = [...unsent].slice(0, AT_ONCE)
    for (const payload of batch) unsent.delete(payload)
    try {
      await notify(client, batch)
    } catch (error) {
      unsent = new Set([...batch, ...unsent])
      throw error
    }
  }

  void connect()

  return {
    send(topic, message) {
      const payload = `${self}${topic}\n${message}`
      if (isClosed || Buffer.byteLength(payload) > MAX_BYTES) return
      if (speak === undefined && unsent.size >= MOST_UNSENT) return
      unsent.add(payload)
      void speak?.()
    },
    subscribe: listeners.add,
    onGap: (listener) => gaps.add(GAP, listener),
    untilHearing: () => hearing.promise,
    async close() {
      isClosed = true
      clearTimeout(retry)
      listeners.clear()
      gaps.clear()
      const sayGoodbye = async () => {
        await speak?.()
        await begun?.end().catch(() => {})
      }
      // A server that cannot be reached any more answers nothing.
      await Promise.race([sayGoodbye(), pause(FAREWELL, undefined, { ref: false })])
    },
  }
}
