import type { Log, LogFields } from '#core/ports/log.ts'

/** The log of one request. Few write to it, and what marks their lines is only made then: it costs more than a look-up. */
export class RequestLog implements Log {
  readonly #all: Log
  readonly #id: string
  #own: Log | undefined

  constructor(all: Log, id: string) {
    this.#all = all
    this.#id = id
  }

  debug(fields: LogFields, message: string): void {
    this.#marked().debug(fields, message)
  }

  info(fields: LogFields, message: string): void {
    this.#marked().info(fields, message)
  }

  warn(fields: LogFields, message: string): void {
    this.#marked().warn(fields, message)
  }

  error(fields: LogFields, message: string): void {
    this.#marked().error(fields, message)
  }

  child(fields: LogFields): Log {
    return this.#marked().child(fields)
  }

  #marked(): Log {
    this.#own ??= this.#all.child({ request: this.#id })
    return this.#own
  }
}
