import assert from 'node:assert/strict'
import type { Change, ChangeKind, Hello } from '#contract/api/change.ts'

/** Somebody who hears of changes. */
export interface Follower {
  readonly hello: Hello
  readonly headers: Headers
  /** Everything so far. */
  readonly heard: readonly Change[]
  /** The first of this kind, and of this id where one is given, that was not answered before. */
  next(kind: ChangeKind, id?: string): Promise<Change>
  /** Resolves when the server ends it. */
  readonly ended: Promise<void>
  leave(): void
}

const PATH = '/v1/changes'

/** Follows changes as a browser's EventSource would. */
export async function follow(
  url: string,
  headers: Readonly<Record<string, string>>,
  query = '',
): Promise<Follower> {
  const gone = new AbortController()
  const response = await fetch(`${url}${PATH}${query}`, { headers, signal: gone.signal })
  assert.equal(response.status, 200, await textOf(response))
  const heard: Change[] = []
  const answered = new Set<Change>()
  const hello = Promise.withResolvers<Hello>()
  let wake = Promise.withResolvers<void>()
  let over = false

  async function read(): Promise<void> {
    let rest = ''
    const decoder = new TextDecoder()
    for await (const bytes of response.body as ReadableStream<Uint8Array>) {
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = /^event: (.*)$/m.exec(block)?.[1]
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (event === 'hello') hello.resolve(JSON.parse(data ?? ''))
        if (event === 'change') heard.push(JSON.parse(data ?? ''))
      }
      wake.resolve()
      wake = Promise.withResolvers()
    }
  }

  const ended = read()
    .catch(() => {})
    .finally(() => {
      over = true
      hello.reject(new Error('it ended before it began'))
      wake.resolve()
    })
  return {
    hello: await hello.promise,
    headers: response.headers,
    heard,
    ended,
    async next(kind, id) {
      for (;;) {
        const found = heard.find(
          (change) => !answered.has(change) && change.kind === kind && (id === undefined || change.id === id),
        )
        if (found) {
          answered.add(found)
          return found
        }
        if (over) throw new Error(`it ended without a change of ${kind} ${id ?? ''}`)
        await wake.promise
      }
    },
    leave: () => gone.abort(),
  }
}

const textOf = async (response: Response): Promise<string> => (response.ok ? '' : await response.text())
