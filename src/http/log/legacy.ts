import { iso } from '#contract/time.ts'
import type { LogEntry, LoggedRequest } from '#core/log/log-entry.ts'

/** Numbers are texts here, as in the line of an access log. */
const object = ({
  status,
  bodyBytesSent,
  answeredBy: _,
  ms: _ms,
  coldStart: _cold,
  ...request
}: LoggedRequest) => ({
  ...request,
  ...(status === undefined ? {} : { status: String(status) }),
  ...(bodyBytesSent === undefined ? {} : { bodyBytesSent: String(bodyBytesSent) }),
})

/** Clients of this form expect every key; what an entry does not have is an empty text. */
export const entry = (appName: string) => (e: LogEntry) => ({
  object: e.request ? object(e.request) : {},
  text: e.text,
  deploymentId: e.deploymentId,
  id: `log_${e.id}`,
  context: e.info.type,
  created: iso(e.createdAt),
  serial: e.serial,
  type: e.type,
  pid: '',
  appName,
  date: iso(e.at),
  region: e.region,
  instanceId: e.instanceId ?? '',
  ...(e.requestId === undefined ? {} : { requestId: e.requestId }),
})

export const entries = (appName: string) => (list: readonly LogEntry[]) => ({
  logs: list.map(entry(appName)),
})
