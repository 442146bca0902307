import type { TrafficTarget } from '#contract/api/analytics.ts'
import type { LogSource, LogType } from '#contract/api/log.ts'
import { cutText } from './cut-text.ts'

interface LogInfo {
  readonly type: LogSource
  /** The build's id; of a visit, the host that was visited. */
  readonly name: string
  readonly entrypoint: string
}

/** The visit that a `request` or a `response` is about. */
export interface LoggedRequest {
  readonly method: string
  readonly uri: string
  readonly protocol: string
  readonly remoteAddr: string
  readonly userAgent: string
  readonly host: string
  /** Known at the end, so only a `response` has these two. */
  readonly status?: number
  readonly bodyBytesSent?: number
  /** What answered, where that was neither a file nor a program of the deployment. */
  readonly answeredBy?: 'proxy' | 'redirect' | 'error'
  /** How long it took; a `response` has it. */
  readonly ms?: number
  /** Whether it waited for an instance to start. */
  readonly coldStart?: true
}

/** Something that happened to a deployment. */
export interface LogDraft {
  readonly deploymentId: string
  readonly type: LogType
  /** When it happened, in ms since the epoch. */
  readonly at: number
  readonly text: string
  readonly info: LogInfo
  readonly region: string
  readonly instanceId?: string
  /** The id of the visit that this is about, or during which a program wrote it. */
  readonly requestId?: string
  readonly request?: LoggedRequest
  /** Of what people look for in the log of a project: the answers to visits, and what programs wrote. */
  readonly projectId?: string
  /** Where the visitor came in, or what the deployment is for. */
  readonly environment?: TrafficTarget
  /** Of what a program wrote as an error, or is told of as one. */
  readonly stream?: 'stderr'
}

/** A draft that the log has taken and will write. */
export interface NewLogEntry extends LogDraft {
  /** 24 digits that sort by time. */
  readonly id: string
  /** When the log took it; never less than that of an entry taken before it by the same process. */
  readonly takenAt: number
}

export interface LogEntry extends LogDraft {
  readonly id: string
  /** The entry's place in the log, see `serial.ts`. */
  readonly serial: string
  /** The time in `serial`: when the entry came into the log, which for a request is after it was answered. */
  readonly createdAt: number
}

const TEXT_BYTES = 4096
const USER_AGENT_BYTES = 1024

/** A text that every database can hold and nobody can make arbitrarily long. */
export const boundText = (text: string): string => cutText(text, TEXT_BYTES)

export const boundDraft = (draft: LogDraft): LogDraft => ({
  ...draft,
  text: boundText(draft.text),
  info: {
    type: draft.info.type,
    name: boundText(draft.info.name),
    entrypoint: boundText(draft.info.entrypoint),
  },
  ...(draft.request ? { request: boundRequest(draft.request) } : {}),
})

export const boundRequest = (request: LoggedRequest): LoggedRequest => ({
  ...request,
  method: cutText(request.method, USER_AGENT_BYTES),
  uri: boundText(request.uri),
  host: cutText(request.host, USER_AGENT_BYTES),
  userAgent: cutText(request.userAgent, USER_AGENT_BYTES),
})
