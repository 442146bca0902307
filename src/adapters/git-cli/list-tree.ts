import { showLimit } from '#contract/amounts.ts'
import { AloftError } from '#contract/errors.ts'
import { MAX_FILES } from '#core/deployment/file/manifest.ts'
import type { Confine } from './confine.ts'
import { type GitRun, startGit } from './run-git.ts'

/** Paths of several hundred characters each. */
const MAX_BYTES = 64 * 1024 * 1024

/**
 * The lines of `git ls-tree -r`, as many as a deployment may have files. A pack of a few kilobytes can hold a tree of billions of
 * paths, in which the same folders stand again and again: git is stopped before that fills the memory that everybody shares.
 */
export async function listTree(confine: () => Promise<Confine>, run: GitRun): Promise<readonly string[]> {
  const { child, ended } = await startGit(confine, run)
  child.stdin.end()
  const lines: string[] = []
  let [rest, bytes] = ['', 0]
  try {
    for await (const text of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
      bytes += text.length
      const parts = text.split('\0')
      parts[0] = rest + parts[0]
      rest = parts.pop() as string
      for (const line of parts) lines.push(line)
      if (lines.length > MAX_FILES) throw tooMuch(`more than ${MAX_FILES} files`)
      if (bytes > MAX_BYTES) throw tooMuch(`paths of more than ${showLimit(MAX_BYTES)} together`)
    }
    await ended
    return lines
  } finally {
    child.kill('SIGKILL')
  }
}

const tooMuch = (has: string): AloftError =>
  new AloftError('bad_request', `The commit has ${has}, which is more than a deployment can have.`)
