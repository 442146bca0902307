import { GitError } from '../git-repositories.ts'

/** Branches and tags, and nothing else. */
const REF = /^refs\/(?:heads|tags)\/[^\p{Cc}]{1,250}$/u
/** Each part but the last is a folder, on the disk and in what the disk counts. */
const MAX_PARTS = 20
/** A file system has names of 255 bytes, of which git takes five for the name of a lock. */
const MAX_PART_BYTES = 250

const partsOf = (ref: string): readonly string[] => ref.split('/')

/** Whether it is the name of a branch or a tag, as far as it could lead elsewhere; git itself is stricter. */
export const isRefName = (ref: string): boolean =>
  REF.test(ref) && !partsOf(ref).some((part) => part === '..' || part === '.' || part === '')

/** Whether it costs no more to keep than refs should. */
export const isShortRef = (ref: string): boolean => {
  const parts = partsOf(ref)
  return parts.length - 2 <= MAX_PARTS && parts.every((part) => Buffer.byteLength(part) <= MAX_PART_BYTES)
}

/** Refuses a repository elsewhere with more refs than could have been pushed here. */
export function assertFewRefs({ size }: ReadonlyMap<string, string>, maxRefs: number): void {
  if (size > maxRefs)
    throw new GitError(
      `the repository has more than ${maxRefs.toLocaleString('en')} branches, the most that ALOFT_GIT_MAX_REFS allows`,
    )
}
