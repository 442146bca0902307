import type { Log } from '#core/ports/log.ts'
import { Gateway, type GatewayOptions } from './gateway.ts'

/**
 * The gateway that new networks lead to. One whose process was killed is replaced. Runs that are in a network of the old
 * one go on: the platform still holds its sockets, and closes them with the last of its networks.
 */
export class Gateways {
  readonly #options: GatewayOptions
  readonly #log: Log
  readonly #networks = new Map<Gateway, number>()
  #current: Gateway
  #opening: Promise<Gateway> | undefined
  #closed = false

  private constructor(options: GatewayOptions, log: Log, first: Gateway) {
    this.#options = options
    this.#log = log
    this.#current = first
    this.#networks.set(first, 0)
  }

  /** Throws where this machine does not let it. */
  static async open(options: GatewayOptions, log: Log): Promise<Gateways> {
    return new Gateways(options, log, await Gateway.open(options))
  }

  /** Whether new networks should lead to it. */
  isCurrent(gateway: Gateway): boolean {
    return gateway === this.#current && !gateway.ended
  }

  /** The same, where that may have changed a moment ago. */
  async isStillCurrent(gateway: Gateway): Promise<boolean> {
    return this.isCurrent(gateway) && !(await gateway.hasEnded())
  }

  /** Has a network made that leads to a gateway, which is kept for it until `forget`. */
  async lead<T>(make: (gateway: Gateway) => Promise<T>): Promise<T> {
    for (;;) {
      const gateway = await this.#alive()
      this.#count(gateway, 1)
      try {
        return await make(gateway)
      } catch (error) {
        await this.forget(gateway)
        // It was killed in the meantime.
        if (this.#closed || !(await gateway.hasEnded())) throw error
      }
    }
  }

  /** A network that led to it is gone. */
  async forget(gateway: Gateway): Promise<void> {
    this.#count(gateway, -1)
    await this.#closeUnused()
  }

  async reach(ports: readonly number[]): Promise<void> {
    await (await this.#alive()).reach(ports)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#opening?.catch(() => {})
    await Promise.all([...this.#networks.keys()].map((gateway) => gateway.close()))
    this.#networks.clear()
  }

  async #alive(): Promise<Gateway> {
    if (!this.#current.ended || this.#closed) return this.#current
    this.#opening ??= this.#replace().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #replace(): Promise<Gateway> {
    const next = await Gateway.open(this.#options)
    this.#log.warn(
      { pid: next.pid },
      'the network of builds and functions was ended by somebody: it is there again',
    )
    this.#networks.set(next, 0)
    this.#current = next
    await this.#closeUnused()
    return next
  }

  #count(gateway: Gateway, more: number): void {
    this.#networks.set(gateway, (this.#networks.get(gateway) ?? 0) + more)
  }

  async #closeUnused(): Promise<void> {
    if (this.#closed) return
    for (const [gateway, count] of this.#networks) {
      if (count > 0 || gateway === this.#current) continue
      this.#networks.delete(gateway)
      await gateway.close()
    }
  }
}
