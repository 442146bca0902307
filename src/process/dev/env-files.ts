import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

/** Later ones go over earlier ones. */
const ENV_FILES = ['.env', '.env.development', '.env.local', '.env.development.local'] as const

const MAX_BYTES = 1024 * 1024

export interface EnvFiles {
  readonly found: readonly string[]
  readonly variables: Readonly<Record<string, string>>
}

/** The variables of a folder's `.env` files. One that cannot be read, or is far too large, counts as absent. */
export async function readEnvFiles(folder: string): Promise<EnvFiles> {
  const found: string[] = []
  const variables: Record<string, string> = {}
  for (const name of ENV_FILES) {
    const text = await readFile(join(folder, name), 'utf8').catch(() => undefined)
    if (text === undefined || text.length > MAX_BYTES) continue
    found.push(name)
    Object.assign(variables, parseEnv(text))
  }
  return { found, variables }
}
