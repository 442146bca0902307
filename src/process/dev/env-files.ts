import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from '#contract/parse-env.ts'

/** Later ones go over earlier ones. */
const ENV_FILES = ['.env', '.env.development', '.env.local', '.env.development.local'] as const

const MAX_BYTES = 1024 * 1024

export interface EnvFiles {
  readonly found: readonly string[]
  readonly variables: Readonly<Record<string, string>>
  /** Lines that set nothing, in words. */
  readonly problems: readonly string[]
}

/**
 * The variables of a folder's `.env` files, read as they are when they are sent to a project. A file that cannot be read, or is
 * far too large, counts as absent.
 */
export async function readEnvFiles(folder: string): Promise<EnvFiles> {
  const found: string[] = []
  const variables: Record<string, string> = {}
  const problems: string[] = []
  for (const name of ENV_FILES) {
    const text = await readFile(join(folder, name), 'utf8').catch(() => undefined)
    if (text === undefined || text.length > MAX_BYTES) continue
    found.push(name)
    const read = parseEnv(text)
    for (const { key, value } of read.entries) variables[key] = value
    problems.push(...read.problems.map(({ line, why }) => `${name}: skipped line ${line}: ${why}`))
  }
  return { found, variables, problems }
}
