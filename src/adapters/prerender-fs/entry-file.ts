import type { PrerenderEntry, PrerenderKey } from '#core/ports/prerender-cache.ts'

/** The first line of a file: all but the body. */
interface Head extends PrerenderKey, Omit<PrerenderEntry, 'body'> {
  readonly version: 1
  readonly size: number
}

const VERSION = 1
const LF = 10

/** An entry as the bytes of a file. */
export function writeEntry(
  { deploymentId, path, query }: PrerenderKey,
  { status, headers, body, generatedAt, expiration }: PrerenderEntry,
): Buffer {
  const head: Head = {
    version: VERSION,
    ...{ deploymentId, path, query },
    ...{ status, headers, generatedAt, expiration },
    size: body.length,
  }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body])
}

/** Undefined for a file that is not whole, or of another entry. */
export function readEntry(bytes: Buffer, key: PrerenderKey): PrerenderEntry | undefined {
  const end = bytes.indexOf(LF)
  const head = end < 0 ? undefined : readHead(bytes.toString('utf8', 0, end))
  if (head === undefined || head.size !== bytes.length - end - 1) return undefined
  const { deploymentId, path, query, status, headers, generatedAt, expiration } = head
  if (deploymentId !== key.deploymentId || path !== key.path || query !== key.query) return undefined
  return { status, headers, body: bytes.subarray(end + 1), generatedAt, expiration }
}

function readHead(line: string): Head | undefined {
  try {
    const head: Partial<Head> | null = JSON.parse(line)
    return isHead(head) ? head : undefined
  } catch {
    return undefined
  }
}

const isHead = (head: Partial<Head> | null): head is Head =>
  head?.version === VERSION &&
  Number.isInteger(head.status) &&
  Array.isArray(head.headers) &&
  head.headers.length % 2 === 0 &&
  head.headers.every((text) => typeof text === 'string') &&
  Number.isFinite(head.generatedAt) &&
  (head.expiration === false || Number.isFinite(head.expiration))
