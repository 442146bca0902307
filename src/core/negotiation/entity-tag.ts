const TAG = /\s*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(?:,|$)/y

interface Tag {
  readonly isWeak: boolean
  readonly text: string
}

/** The tags of a list; undefined when it is not one, which then matches nothing. */
export function readTags(list: string): readonly Tag[] | undefined {
  const tags: Tag[] = []
  TAG.lastIndex = 0
  while (TAG.lastIndex < list.length) {
    const match = TAG.exec(list)
    if (match === null) return undefined
    tags.push({ isWeak: match[1] !== undefined, text: match[2] as string })
  }
  return tags
}

/**
 * If-None-Match: whether the client has what this tag stands for, be it weak or strong. A function may have forgotten the quotes: the
 * client then sends back what it was given.
 */
export function isInHand(header: string, tag: string): boolean {
  const sent = header.trim()
  if (sent === '*' || sent === tag) return true
  const bare = tag.replace(WEAK, '')
  return readTags(sent)?.some(({ text }) => text === bare) === true
}

const WEAK = /^W\//
