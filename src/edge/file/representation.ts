import type { Encoding } from '#core/negotiation/encoding.ts'
import { type Content, type ContentStore, MAX_WHOLE_BYTES } from './content-store.ts'
import { entityTag } from './entity-tag.ts'
import type { FileAnswer, Representation } from './file-answer.ts'

/** The best form that the client accepts, if it is in memory. */
export function pickRepresentation(
  answer: FileAnswer,
  accepted: readonly Encoding[],
): Representation | undefined {
  for (const encoding of accepted) {
    if (encoding !== 'identity' && !answer.compressible) continue
    const ready = answer.representations[encoding]
    if (ready === 'hopeless') continue
    if (ready?.content?.bytes === undefined) return undefined
    ready.content.used = true
    return ready
  }
  return undefined
}

/** The best form that the client accepts, made ready if need be. Undefined when the content is lost. */
export function prepareRepresentation(
  answer: FileAnswer,
  accepted: readonly Encoding[],
  store: ContentStore,
): Representation | undefined | Promise<Representation | undefined> {
  return pickRepresentation(answer, accepted) ?? prepare(answer, accepted, store)
}

async function prepare(
  answer: FileAnswer,
  accepted: readonly Encoding[],
  store: ContentStore,
): Promise<Representation | undefined> {
  const { file } = answer
  const isLarge = file.size > MAX_WHOLE_BYTES
  for (const encoding of answer.compressible ? accepted : []) {
    if (encoding === 'identity') break
    if (store.isHopeless(file, encoding)) {
      answer.representations[encoding] = 'hopeless'
      continue
    }
    let content = store.get(file.sha256, encoding)
    if (content === undefined && isLarge) store.improve(file, encoding)
    else content ??= await store.load(file, encoding)
    if (content !== undefined) return remember(answer, content)
  }
  if (isLarge) return represent(answer, undefined)
  const content = store.get(file.sha256, 'identity') ?? (await store.load(file, 'identity'))
  return content && remember(answer, content)
}

function remember(answer: FileAnswer, content: Content): Representation {
  const representation = represent(answer, content)
  answer.representations[content.encoding] = representation
  return representation
}

/** Without a content, what is stored as it is. */
export function represent(answer: FileAnswer, content: Content | undefined): Representation {
  const { encoding = 'identity', effort = 'best', length = answer.file.size } = content ?? {}
  const tag = entityTag(answer.file.sha256, encoding, effort)
  return {
    tag,
    length,
    headers: [
      ...['content-type', answer.contentType],
      ...answer.headers,
      ...(encoding === 'identity' ? [] : ['content-encoding', encoding]),
      ...(answer.status === 200 ? ['etag', tag, 'accept-ranges', 'bytes'] : []),
      ...['content-length', String(length)],
    ],
    content,
    head: undefined,
    place: undefined,
    http2Head: undefined,
  }
}
