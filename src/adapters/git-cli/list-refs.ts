type Run = (args: readonly string[]) => Promise<Buffer>

/** Branches and tags below a prefix, by the names that they have in the repository that they are of. */
export async function listRefs(run: Run, prefix: string): Promise<ReadonlyMap<string, string>> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', `${prefix}heads`, `${prefix}tags`]
  const text = (await run(args)).toString('utf8')
  const lines = text.split('\n').filter((line) => line !== '')
  return new Map(
    lines.map((line) => {
      const space = line.indexOf(' ')
      return [`refs/${line.slice(space + 1 + prefix.length)}`, line.slice(0, space)]
    }),
  )
}

/** Puts all refs into one file: each takes a block of the disk as a file of its own, and one more for each part of its name. */
export async function packRefs(run: Run): Promise<void> {
  await run(['pack-refs', '--all', '--prune'])
}
