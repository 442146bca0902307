import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../config/config.ts'

/** The settings that this folder's `aloft.config.json` names; none where there is no such file. */
export function readConfigFile(folder: string): Record<string, unknown> {
  const file = join(folder, 'aloft.config.json')
  if (!existsSync(file)) return {}
  const value = parse(read(file))
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw new ConfigError(['aloft.config.json: it should contain one JSON object'])
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError([`aloft.config.json: ${(error as Error).message}`])
  }
}

function parse(text: string): unknown {
  try {
    // Some editors begin a file with a mark that says how it is encoded.
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    // The engine quotes what is around the mistake, which may be a key.
    const [reason = ''] = (error as Error).message.split(/, (?:\.\.\.)?"/)
    throw new ConfigError([`aloft.config.json: it is not valid JSON: ${reason.replace(/\p{Cc}/gu, ' ')}`])
  }
}
