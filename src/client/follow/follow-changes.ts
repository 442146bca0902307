import { type Change, followChanges as endpoint } from '#contract/api/change.ts'
import { backoff, isPassing, type Persistence } from '../call/persist.ts'
import type { Client } from '../client.ts'
import { pause } from '../client.ts'
import { followLines } from './follow-lines.ts'

/**
 * What changes in an account, as it happens, until the signal says that it is enough. A connection that breaks is made
 * anew; what changed meanwhile is not told, so `onBegin` is called whenever everything may be other than it was.
 */
export async function* followChanges(
  client: Client,
  { signal, wait = pause, onBegin = () => {} }: Persistence & { readonly onBegin?: () => void } = {},
): AsyncGenerator<Change, void> {
  for (let failures = 0; ; failures++) {
    try {
      const open = (signal: AbortSignal) => client.call(endpoint, { signal })
      for await (const { event, data } of followLines(client.baseUrl, open, signal, readEvents())) {
        failures = 0
        if (event === 'hello') onBegin()
        else if (event === 'change') yield JSON.parse(data) as Change
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (!isPassing(error)) throw error
    }
    await wait(backoff(failures), signal)
  }
}

interface ServerEvent {
  readonly event: string
  readonly data: string
}

/** Server-sent events, as this installation writes them: a name, then one line of data. */
function readEvents(): (line: string) => ServerEvent | undefined {
  let event = 'message'
  return (line) => {
    const [, field, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (field === 'event') event = value
    return field === 'data' ? { event, data: value } : undefined
  }
}
