import * as api from '#contract/api/change.ts'
import type { Changes } from '#core/change/changes.ts'
import { type Route, route } from '../route.ts'
import { createEventStream } from './event-stream.ts'
import { type CallerParts, findAgain } from './find-again.ts'

/** Proxies neither keep it nor gather it nor change it. */
const HEADERS = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' }

export function changeRoutes(changes: Changes, callers: CallerParts): readonly Route[] {
  return [
    route(api.followChanges, (ctx, { headers }) => {
      const stream = createEventStream(() => following.leave())
      const following = changes.follow(ctx, {
        hear: (heard) => {
          for (const change of heard) stream.send('change', change)
        },
        stillThere: stream.comment,
        end: stream.end,
        findAgain: () => findAgain(callers, headers),
      })
      stream.send('hello', { ownerId: ctx.owner.id, kinds: [...following.kinds] } satisfies api.Hello)
      return { type: 'text/event-stream', headers: HEADERS, body: stream.body, endless: true }
    }),
  ]
}
