import type { ProjectLogEntry, ProjectLogLine, ProjectLogRequest } from '#contract/api/project-log.ts'

/** A row of the log: a visit with what was written during it, or a line by itself. */
export type LogRow =
  | { readonly id: string; readonly request: ProjectLogRequest; readonly lines: readonly ProjectLogLine[] }
  | { readonly id: string; readonly line: ProjectLogLine }

/** Entries, the newest first and each once, with the lines of a visit under it. */
export function groupEntries(entries: readonly ProjectLogEntry[]): readonly LogRow[] {
  const seen = new Set<string>()
  const once = entries.filter(({ id }) => !seen.has(id) && seen.add(id))
  const visits = new Set(once.flatMap((entry) => (entry.type === 'request' ? [entry.requestId] : [])))
  const linesOf = new Map<string, ProjectLogLine[]>()
  for (const entry of once) {
    if (entry.type === 'request' || entry.requestId === undefined || !visits.has(entry.requestId)) continue
    const lines = linesOf.get(entry.requestId) ?? []
    // Under a visit they are read from the top.
    lines.unshift(entry)
    linesOf.set(entry.requestId, lines)
  }
  return once.flatMap((entry): readonly LogRow[] => {
    if (entry.type === 'request')
      return [{ id: entry.id, request: entry, lines: linesOf.get(entry.requestId) ?? [] }]
    return entry.requestId !== undefined && visits.has(entry.requestId) ? [] : [{ id: entry.id, line: entry }]
  })
}
