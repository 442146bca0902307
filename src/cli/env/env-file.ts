import { readFileSync, statSync } from 'node:fs'
import { parseEnv as parseAsNode } from 'node:util'
import { showLimit } from '#contract/amounts.ts'
import { type EnvFile, parseEnv } from '#contract/parse-env.ts'
import { replacePrivately } from '../config/private-file.ts'
import { CliError, EXIT, usageError } from '../exit.ts'

/** More than the variables of a project may hold together, and the comments among them. */
const MOST = 4 * 1024 * 1024

/** What a `.env` file sets, and the lines that set nothing: read as the dashboard reads what is pasted. */
export function readEnvFile(path: string): EnvFile {
  try {
    const { size } = statSync(path)
    if (size > MOST)
      throw usageError(`${path} is too large for a file of variables: the limit is ${showLimit(MOST)}.`)
    return parseEnv(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof CliError) throw error
    throw new CliError(EXIT.failure, `${path} cannot be read: ${(error as Error).message}.`)
  }
}

/** One line of a `.env` file that we and Node.js read as this value again; undefined when no spelling is. */
export function envLine(key: string, value: string): string | undefined {
  const spellings = [
    ...(/^[\w./:@%+,-]*$/.test(value) ? [value] : []),
    `'${value}'`,
    `"${value}"`,
    `\`${value}\``,
    `"${value.replaceAll('\n', '\\n')}"`,
  ]
  return spellings.map((text) => `${key}=${text}`).find((line) => isReadAs(line, key, value))
}

/** Also with a line after it, which an open quotation would swallow. */
function isReadAs(line: string, key: string, value: string): boolean {
  const text = `${line}\nALOFT_END=1\n`
  const ours = Object.fromEntries(parseEnv(text).entries.map((entry) => [entry.key, entry.value]))
  return [ours, parseAsNode(text)].every(
    (read) => read[key] === value && read.ALOFT_END === '1' && Object.keys(read).length === 2,
  )
}

/** Only its owner can read it, from the first moment on, and nobody sees half of it. */
export function writePrivateFile(path: string, text: string): void {
  try {
    replacePrivately(path, text)
  } catch (error) {
    throw new CliError(EXIT.failure, `${path} cannot be written: ${(error as Error).message}.`)
  }
}
