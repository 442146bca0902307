import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../config/config.ts'

/** The settings that this folder's `aloft.config.json` names; none where there is no such file. */
export function readConfigFile(folder: string): Record<string, unknown> {
  const file = join(folder, 'aloft.config.json')
  if (!existsSync(file)) return {}
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch (error) {
    throw new ConfigError([`aloft.config.json: ${(error as Error).message}`])
  }
  throw new ConfigError(['aloft.config.json: it should contain one JSON object'])
}
