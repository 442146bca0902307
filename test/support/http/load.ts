import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { setImmediate, setTimeout } from 'node:timers/promises'

/** What is asked for, and how its answer begins. */
export interface LoadTarget {
  readonly host: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly expected: RegExp
}

interface LoadOptions {
  readonly port: number
  readonly tlsPort: number
  readonly targets: readonly LoadTarget[]
  /** Connections of each of the three kinds: HTTP/1.1, HTTP/1.1 over TLS, HTTP/2. */
  readonly connections: number
  /** Between an answer and the next request of the same visitor, so that the machine has time for others; none unless said. */
  readonly pauseMs?: number
}

export interface LoadResult {
  readonly answered: number
  /** By what went wrong. */
  readonly failed: ReadonlyMap<string, number>
  readonly slowestMs: number
}

type Ask = (target: LoadTarget) => Promise<string>

/** Visitors that ask for one thing after the other, each on a connection that is kept, and try nothing twice. */
export class Load {
  readonly #options: LoadOptions
  readonly #failed = new Map<string, number>()
  #answered = 0
  #slowestMs = 0
  #isStopped = false
  #all: Promise<unknown> | undefined
  readonly #waiting = new Set<{ readonly count: number; readonly resolve: () => void }>()

  constructor(options: LoadOptions) {
    this.#options = options
  }

  start(): void {
    const { connections } = this.#options
    const kinds = [this.#http1, this.#tls1, this.#http2]
    this.#all = Promise.all(
      kinds.flatMap((kind) => Array.from({ length: connections }, (_, n) => this.#visitor(kind(), n))),
    )
  }

  /** Resolves when so many more have been answered, or have failed. */
  more(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.add({ count: this.#done + count, resolve })
    return promise
  }

  async stop(): Promise<LoadResult> {
    this.#isStopped = true
    await this.#all
    return { answered: this.#answered, failed: this.#failed, slowestMs: Math.round(this.#slowestMs) }
  }

  get #done(): number {
    return this.#answered + [...this.#failed.values()].reduce((sum, n) => sum + n, 0)
  }

  async #visitor({ ask, close }: { ask: Ask; close(): void }, n: number): Promise<void> {
    const { targets, pauseMs = 0 } = this.#options
    for (let i = n; !this.#isStopped; i++) {
      const target = targets[i % targets.length] as LoadTarget
      const before = performance.now()
      try {
        const text = await ask(target)
        if (!target.expected.test(text)) throw new Error(`${target.path} was ${text.slice(0, 80)}`)
        this.#answered++
      } catch (error) {
        const { code = '', message } = error as NodeJS.ErrnoException
        const what = `${target.path}: ${code} ${message}`
        this.#failed.set(what, (this.#failed.get(what) ?? 0) + 1)
      }
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - before)
      for (const each of this.#waiting)
        if (this.#done >= each.count) {
          this.#waiting.delete(each)
          each.resolve()
        }
      if (pauseMs > 0) {
        await setTimeout(pauseMs)
        // On a busy machine a timer may come before the word that the connection was closed meanwhile.
        await setImmediate()
      }
    }
    close()
  }

  readonly #http1 = () => {
    const agent = new HttpAgent({ keepAlive: true, maxSockets: 1 })
    const { port } = this.#options
    const ask: Ask = ({ host, path, headers }) =>
      new Promise((resolve, reject) => {
        requestHttp(
          { host: '127.0.0.1', port, agent, path, headers: { ...headers, host } },
          readAnswer(resolve, reject),
        )
          .on('error', reject)
          .end()
      })
    return { ask, close: () => agent.destroy() }
  }

  readonly #tls1 = () => {
    const agent = new HttpsAgent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false })
    const { tlsPort: port } = this.#options
    const ask: Ask = ({ host, path, headers }) =>
      new Promise((resolve, reject) => {
        const servername = /^[\d.]+$/.test(host) ? '' : host
        requestHttps(
          { host: '127.0.0.1', port, agent, path, servername, headers: { ...headers, host } },
          readAnswer(resolve, reject),
        )
          .on('error', reject)
          .end()
      })
    return { ask, close: () => agent.destroy() }
  }

  /** A connection that was said to end is not asked again, as with every client that knows the protocol. */
  readonly #http2 = () => {
    const { tlsPort } = this.#options
    let session: ClientHttp2Session | undefined
    const ask: Ask = async ({ host, path, headers }) => {
      if (!session || session.closed || session.destroyed) {
        session = connectHttp2(`https://127.0.0.1:${tlsPort}`, { rejectUnauthorized: false })
        session.on('error', () => {})
      }
      const stream = session.request({ ...headers, ':authority': host, ':path': path })
      let text = ''
      for await (const chunk of stream.setEncoding('utf8')) text += chunk
      // Reset by the server, it ends as if it were whole.
      if (stream.rstCode !== 0) throw new Error(`reset with ${stream.rstCode}`)
      return text
    }
    return { ask, close: () => session?.close() }
  }
}

const readAnswer =
  (resolve: (text: string) => void, reject: (error: unknown) => void) => (response: IncomingMessage) => {
    let text = ''
    response
      .setEncoding('utf8')
      .on('data', (chunk: string) => {
        text += chunk
      })
      .on('end', () => resolve(text))
      .on('error', reject)
  }
