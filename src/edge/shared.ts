import type { Clock } from '#core/ports/clock.ts'
import type { VisitLog } from '#core/site/site.ts'
import type { EdgeCache } from './cache/edge-cache.ts'
import type { Unsent } from './fast/unsent.ts'
import type { Wires } from './fast/wires.ts'
import type { ContentStore } from './file/content-store.ts'
import type { HotAnswers } from './file/hot-answers.ts'
import type { Functions } from './function/function-call.ts'
import type { OpenStreams } from './open-streams.ts'
import type { RequestIds } from './request/request-id.ts'
import type { SiteCache } from './site/site-cache.ts'
import type { VisitorMemory } from './visitor-memory.ts'

/** What every way of answering visitors shares within a process. */
export interface Shared {
  readonly sites: SiteCache
  readonly hotAnswers: HotAnswers
  readonly contents: ContentStore
  readonly wires: Wires
  readonly visits: VisitLog
  readonly clock: Clock
  readonly ids: RequestIds
  readonly httpDate: (now: number) => string
  readonly functions: Functions
  /** What functions and images have answered and may be given to everybody. */
  readonly cache: EdgeCache
  readonly streams: OpenStreams
  readonly unsent: Unsent
  readonly memory: VisitorMemory
}
