import type { Log } from '#core/ports/log.ts'

interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: object
  readonly message: string
}

export interface RecordingLog extends Log {
  readonly entries: readonly LogEntry[]
  /** Resolves with the first entry that matches, past or to come. */
  saw(pattern: RegExp): Promise<LogEntry>
}

export function createRecordingLog(): RecordingLog {
  const entries: LogEntry[] = []
  const waiting = new Set<(entry: LogEntry) => void>()
  const record = (level: LogEntry['level']) => (fields: object, message: string) => {
    const entry = { level, fields, message }
    entries.push(entry)
    for (const offer of waiting) offer(entry)
  }
  const log: RecordingLog = {
    entries,
    debug: record('debug'),
    info: record('info'),
    warn: record('warn'),
    error: record('error'),
    child: () => log,
    saw: (pattern) =>
      new Promise((resolve) => {
        const offer = (entry: LogEntry) => {
          if (!pattern.test(entry.message)) return
          waiting.delete(offer)
          resolve(entry)
        }
        waiting.add(offer)
        for (const entry of entries) offer(entry)
      }),
  }
  return log
}
