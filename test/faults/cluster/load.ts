import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

export interface Place {
  readonly address: string
  readonly port: number
}

export interface Answer {
  readonly status: number
  readonly text: string
}

export type Ask = ReturnType<typeof createAsk>

const TIMEOUT_MS = 20_000

/**
 * On one connection that is kept, as a visitor's; whoever wants to be told what every process of a machine says asks on a
 * new one each time.
 */
export function createAsk({ address, port }: Place, { isKept = true, timeoutMs = TIMEOUT_MS } = {}) {
  const agent = isKept ? new Agent({ keepAlive: true, maxSockets: 1 }) : false
  return (
    path: string,
    { host, method = 'GET', token, body }: { host: string; method?: string; token?: string; body?: object },
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = {
        host,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body ? { 'content-type': 'application/json' } : {}),
      }
      const asked = request({ host: address, port, agent, path, method, headers }, async (response) => {
        try {
          const text = Buffer.concat(await response.toArray()).toString('utf8')
          resolve({ status: response.statusCode ?? 0, text })
        } catch (error) {
          reject(error)
        }
      })
      asked.setTimeout(timeoutMs, () =>
        asked.destroy(new Error(`${address} does not answer ${method} ${path} of ${host}`)),
      )
      asked.on('error', reject).end(body && JSON.stringify(body))
    })
}

/** One thing that is asked for again and again. */
export class Probe {
  readonly name: string
  ok = 0
  failed = 0
  /** When it last went wrong. */
  failedAt = 0
  /** What the slowest answer took. */
  longestMs = 0
  readonly reasons = new Set<string>()
  #isOver = false
  readonly #running: Promise<void>

  constructor(name: string, everyMs: number, ask: () => Promise<void>) {
    this.name = name
    this.#running = this.#run(everyMs, ask)
  }

  async #run(everyMs: number, ask: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      const begun = performance.now()
      try {
        await ask()
        this.ok += 1
        this.longestMs = Math.max(this.longestMs, performance.now() - begun)
      } catch (error) {
        this.failed += 1
        this.failedAt = performance.now()
        if (this.reasons.size < 5) this.reasons.add(error instanceof Error ? error.message : String(error))
      }
      await pause(everyMs)
    }
  }

  clear(): void {
    this.ok = 0
    this.failed = 0
    this.failedAt = 0
    this.longestMs = 0
    this.reasons.clear()
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#running
  }
}
