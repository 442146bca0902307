import type { DevEvent } from '#contract/dev.ts'
import type { Log } from '#core/ports/log.ts'

/** What the platform's parts have to say, as far as the person at the terminal wants to know. */
export function createDevLog(tell: (event: DevEvent) => void): Log {
  const text = (fields: object, message: string): string => {
    const { err } = fields as { readonly err?: unknown }
    return err instanceof Error ? `${message}: ${err.message}` : message
  }
  const debug = (fields: object, message: string) => {
    const { err, ...rest } = fields as { readonly err?: unknown }
    const more = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`
    const stack = err instanceof Error ? `\n${err.stack ?? ''}` : ''
    tell({ type: 'debug', text: `${message}${more}${stack}` })
  }
  const fault = (fields: object, message: string) => {
    tell({ type: 'fault', text: text(fields, message) })
    debug(fields, message)
  }
  const log: Log = { debug, info: debug, warn: fault, error: fault, child: () => log }
  return log
}
