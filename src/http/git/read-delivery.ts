import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { AloftError, invalidRequest } from '#contract/errors.ts'
import type { Delivery } from '#core/git/host/delivery.ts'
import { tooLarge } from '../request/body.ts'
import { BodyMemory, type HeldBody } from '../request/body-memory.ts'
import { parsePayload, pullReader } from './read-pull.ts'

/** The largest that GitHub sends. */
export const LARGEST_DELIVERY = 25 * 1024 * 1024

/** What was sent is in memory until it is known who has signed it. */
const memory = new BodyMemory({ strangers: 4 * LARGEST_DELIVERY, stranger: 2 * LARGEST_DELIVERY })

/**
 * Where each host puts its signature. Gitea and Forgejo also send those of GitHub; GitHub also sends an older one in the
 * header that Bitbucket uses, so the order matters.
 */
const SIGNATURES = [
  'x-forgejo-signature',
  'x-gitea-signature',
  'x-hub-signature-256',
  'x-hub-signature',
] as const

const IDS = [
  'x-forgejo-delivery',
  'x-gitea-delivery',
  'x-github-delivery',
  'idempotency-key',
  'x-gitlab-event-uuid',
  'x-request-uuid',
  'x-request-id',
] as const

/** A webhook of GitHub, GitLab, Gitea, Forgejo or Bitbucket. */
export function readDelivery(headers: IncomingHttpHeaders, body: Readable, ip = ''): Delivery {
  const readPull = pullReader(headers)
  return {
    id: firstHeader(headers, IDS)?.slice(0, 200),
    proof: proofOf(headers),
    body: bounded(body, memory.hold({ id: ip, isStranger: true })),
    read: readPull && (async (content) => readPull(await parsePayload(content))),
  }
}

function proofOf(headers: IncomingHttpHeaders): Delivery['proof'] {
  for (const name of SIGNATURES) {
    // A host that knows no secret leaves what follows the name of the algorithm empty: then nothing is signed.
    const value = textOf(headers[name])?.replace(/^sha256=/i, '')
    if (value && !/^sha1=$/i.test(value)) return { kind: 'hmac', value }
  }
  const value = textOf(headers['x-gitlab-token'])
  return value ? { kind: 'secret', value } : undefined
}

const firstHeader = (headers: IncomingHttpHeaders, names: readonly string[]): string | undefined =>
  names.map((name) => textOf(headers[name])).find(Boolean)

const textOf = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value.trim() : undefined

/** Leaves the connection open, because the answer has yet to go over it. */
async function* bounded(body: Readable, held: HeldBody): AsyncGenerator<Uint8Array> {
  let size = 0
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
  try {
    for await (const chunk of chunks) {
      size += chunk.length
      if (size > LARGEST_DELIVERY) break
      held.grow(chunk.length)
      yield chunk
    }
  } catch (error) {
    throw error instanceof AloftError ? error : invalidRequest('the body was cut off')
  } finally {
    held.release()
  }
  if (size > LARGEST_DELIVERY) throw tooLarge(LARGEST_DELIVERY)
}
