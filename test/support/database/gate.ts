import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** Nobody writes before everybody has read. */
export interface Gate {
  /** Begins all of this, and lets it write once each has come to its first write, waits for another, or has ended. */
  through<T>(begin: readonly (() => Promise<T>)[]): Promise<readonly T[]>
  /** Begins one after the other, each once those before it wait for the rows that this locks, and then lets go of them. */
  inLine<T>(lock: string, begin: readonly (() => Promise<T>)[]): Promise<readonly T[]>
  close(): Promise<void>
}

const TABLES = `
  select string_agg(quote_ident(relname), ', ') as names from pg_class
  where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'files'`

const WAITING = `
  select count(distinct pid)::int as waiting from pg_locks
  where not granted and pid <> pg_backend_pid()`

/** Somebody may wait for another within this process, and is never seen to wait here. */
const LOOKS_ALIKE = 20
/** So that looking does not take the time of those who are looked at. */
const PAUSE_MS = 3
/** Before anybody who waits is told that the database does not answer. */
const OPENS_MS = 5000

/**
 * Requests that are sent at the same moment seldom meet. Here all that is written waits until each of them has looked at what
 * there was before, which is the worst that can happen to them. One writer at a time, as SQLite has it, needs no gate.
 */
export async function openGate(url: string | undefined): Promise<Gate> {
  if (url === undefined) {
    const atOnce: Gate['through'] = (begin) => Promise.all(begin.map((each) => each()))
    return { through: atOnce, inLine: (_, begin) => atOnce(begin), close: async () => {} }
  }
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ names: string }>(TABLES)
  return {
    async through(begin) {
      // Reading goes on.
      await client.query(`begin; lock table ${rows[0]?.names} in exclusive mode`)
      let ended = 0
      const answers = begin.map((each) => each().finally(() => ended++))
      const opensAt = performance.now() + OPENS_MS
      for (let [known, alike] = [0, 0]; known < begin.length && alike < LOOKS_ALIKE; alike++) {
        if (performance.now() > opensAt) break
        await sleep(PAUSE_MS)
        const { rows } = await client.query<{ waiting: number }>(WAITING)
        const seen = (rows[0]?.waiting ?? 0) + ended
        if (seen !== known || seen === 0) alike = 0
        known = seen
      }
      await client.query('commit')
      return Promise.all(answers)
    },
    async inLine(lock, begin) {
      await client.query(`begin; ${lock}`)
      let ended = 0
      const answers: ReturnType<(typeof begin)[number]>[] = []
      const opensAt = performance.now() + OPENS_MS
      for (const each of begin) {
        answers.push(each().finally(() => ended++) as ReturnType<typeof each>)
        for (let seen = 0; seen < answers.length && performance.now() < opensAt; ) {
          await sleep(PAUSE_MS)
          const { rows } = await client.query<{ waiting: number }>(WAITING)
          seen = (rows[0]?.waiting ?? 0) + ended
        }
      }
      await client.query('commit')
      return Promise.all(answers)
    },
    close: () => client.end(),
  }
}
