import type { Log } from '#core/ports/log.ts'

/** For commands, whose person at the terminal is told what matters in words. */
export const quietLog: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => quietLog }
