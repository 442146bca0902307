import { readFileSync } from 'node:fs'

/** What a function's source says of itself. */
export interface SourceSettings {
  readonly isEdge?: boolean
  readonly maxDuration?: number
  readonly memoryMb?: number
}

const CONFIG = /\bexport\s+const\s+config\b[^=]*=\s*\{([^}]*)\}/
const MAX_READ = 2 ** 20

/**
 * Only what stands there as it is, such as `export const config = { runtime: 'edge' }`, or by itself as
 * `export const runtime = 'edge'`; nothing is run to find out.
 */
export function readSettings(file: string): SourceSettings {
  const source = readFileSync(file, 'utf8').slice(0, MAX_READ)
  const config = CONFIG.exec(source)?.[1] ?? ''
  const runtime = textIn(config, 'runtime') ?? exported(source, 'runtime', /['"]([\w-]+)['"]/)
  const maxDuration = numberIn(config, 'maxDuration') ?? exported(source, 'maxDuration', /(\d{1,5})\b/)
  const memory = numberIn(config, 'memory')
  return {
    isEdge: runtime === 'edge' || runtime === 'experimental-edge',
    ...(maxDuration === undefined ? {} : { maxDuration: bounded(maxDuration, 1, 3600) }),
    ...(memory === undefined ? {} : { memoryMb: bounded(memory, 128, 16_384) }),
  }
}

const textIn = (config: string, name: string): string | undefined =>
  new RegExp(`\\b${name}['"]?\\s*:\\s*['"]([\\w-]+)['"]`).exec(config)?.[1]

const numberIn = (config: string, name: string): string | undefined =>
  new RegExp(`\\b${name}['"]?\\s*:\\s*(\\d{1,5})\\b`).exec(config)?.[1]

const exported = (source: string, name: string, value: RegExp): string | undefined =>
  new RegExp(`\\bexport\\s+const\\s+${name}\\b\\s*(?::[^=\\n]*)?=\\s*${value.source}`).exec(source)?.[1]

const bounded = (text: string, least: number, most: number): number =>
  Math.min(most, Math.max(least, Number(text)))
