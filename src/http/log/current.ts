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
  },
})

export const entries = (list: readonly LogEntry[]) => list.map(entry)
