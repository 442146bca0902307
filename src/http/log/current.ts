import type { LogEntry } from '#core/log/log-entry.ts'

export const entry = ({
  id,
  serial,
  createdAt,
  at,
  type,
  text,
  deploymentId,
  info,
  requestId,
  stream,
}: LogEntry) => ({
  type,
  created: createdAt,
  payload: {
    deploymentId,
    info: { type: info.type, name: info.name, entrypoint: info.entrypoint },
    text,
    id,
    date: at,
    serial,
    ...(requestId === undefined ? {} : { requestId }),
    // There are four types and no more: errors of programs are `stdout`, and told apart by this.
    ...(stream === 'stderr' ? { level: 'error' } : {}),
  },
})

export const entries = (list: readonly LogEntry[]) => list.map(entry)
