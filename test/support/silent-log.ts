import type { Log } from '#core/ports/log.ts'

const nothing = () => {}

export const silentLog: Log = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => silentLog,
}
