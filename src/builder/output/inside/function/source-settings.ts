import { readFileSync } from 'node:fs'
import type { Expression } from 'acorn'
import { literalOf, propertiesOf, readDeclarations } from './declarations.ts'

/** What a function's source says of itself. */
export interface SourceSettings {
  readonly isEdge?: boolean
  readonly maxDuration?: number
  readonly memoryMb?: number
}

const EXPORTS = /\bexport\b/
const NAMES = /\b(?:config|runtime|maxDuration)\b/

/**
 * Only what stands there as it is, such as `export const config = { runtime: 'edge' }`, or by itself as
 * `export const runtime = 'edge'`; nothing is run to find out. What cannot be read as code says nothing: it is told of
 * where it is compiled.
 */
export async function readSettings(file: string): Promise<SourceSettings> {
  const source = readFileSync(file, 'utf8')
  if (!EXPORTS.test(source) || !NAMES.test(source)) return {}
  const { constants, exported } = await readDeclarations(file).catch(() => NOTHING_DECLARED)
  const declared = (name: string) => (exported.has(name) ? constants.get(name) : undefined)
  const inConfig = propertiesOf(declared('config'), constants)
  const setting = (name: string, apart = declared(name)): unknown => {
    const node = inConfig.get(name) ?? apart
    return node && literalOf(node, constants)
  }
  const runtime = setting('runtime')
  const maxDuration = setting('maxDuration')
  const memory = setting('memory', undefined)
  return {
    isEdge: runtime === 'edge' || runtime === 'experimental-edge',
    ...(typeof maxDuration === 'number' ? { maxDuration: bounded(maxDuration, 1, 3600) } : {}),
    ...(typeof memory === 'number' ? { memoryMb: bounded(memory, 128, 16_384) } : {}),
  }
}

const NOTHING_DECLARED = { constants: new Map<string, Expression>(), exported: new Set<string>() }

const bounded = (value: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, Math.trunc(value)))
