import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const CI_FOLDER = resolve(import.meta.dirname, '../../../examples/ci')

const indentOf = (line: string): number => line.search(/\S/)

/** What follows a key or a dash: the rest of the line, or after `|` the deeper lines below it. */
function valueAt(lines: readonly string[], at: number, start: string): string {
  const rest = (lines[at] ?? '').trimStart().slice(start.length).trim()
  if (rest !== '|') return rest
  const below = lines.slice(at + 1)
  const indent = indentOf(below[0] ?? '')
  const end = below.findIndex((line) => line.trim() !== '' && indentOf(line) < indent)
  return below
    .slice(0, end < 0 ? below.length : end)
    .map((line) => line.slice(indent))
    .join('\n')
}

const linesOf = (file: string): string[] => readFileSync(join(CI_FOLDER, file), 'utf8').split('\n')

/** The commands of each step of a GitHub workflow. Each step is a shell of its own. */
export const githubSteps = (file: string): string[] => {
  const lines = linesOf(file)
  return lines.flatMap((line, at) =>
    line.trimStart().startsWith('run:') ? [valueAt(lines, at, 'run:')] : [],
  )
}

/** The commands of a job of GitLab, which all go into one shell. */
export const gitlabScript = (file: string): string => {
  const lines = linesOf(file)
  const from = lines.findIndex((line) => line.trim() === 'script:')
  const deeper = lines.slice(from + 1)
  const end = deeper.findIndex((line) => indentOf(line) <= indentOf(lines[from] ?? ''))
  const own = deeper.slice(0, end)
  const indent = indentOf(own[0] ?? '')
  return own
    .flatMap((line, at) =>
      indentOf(line) === indent && line.trim().startsWith('-') ? [valueAt(own, at, '-')] : [],
    )
    .join('\n')
}
