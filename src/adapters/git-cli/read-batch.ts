import { GitError } from '#core/git/git-repositories.ts'

/** The contents that `git cat-file --batch` writes, one after the other. One that is larger than it should be is not waited for. */
export async function* readBatch(
  output: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<{ readonly oid: string; readonly size: number; readonly bytes: Buffer }, void> {
  let held: Buffer[] = []
  let length = 0
  let wanted: { readonly oid: string; readonly size: number } | undefined
  for await (const chunk of output) {
    held.push(chunk)
    length += chunk.length
    for (;;) {
      if (wanted === undefined) {
        const all = joined(held)
        held = [all]
        const end = all.indexOf(10)
        if (end === -1) break
        wanted = readHead(all.toString('latin1', 0, end))
        if (wanted.size > maxBytes) throw new GitError(`${wanted.oid} is larger than was expected of it`)
        held = [all.subarray(end + 1)]
        length = all.length - end - 1
      }
      // A line feed follows each content.
      if (length < wanted.size + 1) break
      const all = joined(held)
      yield { ...wanted, bytes: all.subarray(0, wanted.size) }
      held = [all.subarray(wanted.size + 1)]
      length = all.length - wanted.size - 1
      wanted = undefined
    }
  }
}

/** Many small contents come in one piece, which is not copied for each of them. */
const joined = (parts: readonly Buffer[]): Buffer =>
  parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)

function readHead(line: string): { readonly oid: string; readonly size: number } {
  const [, oid, size] = /^([0-9a-f]{40,64}) \w+ (\d+)$/.exec(line) ?? []
  if (oid === undefined) throw new GitError(`the repository lacks an object: ${line.slice(0, 100)}`)
  return { oid, size: Number(size) }
}
