import { readRange } from '#core/detection/framework/node-version.ts'

/** The Node.js versions that older clients can ask for, newest first. */
const VERSIONS = [
  '24.21.0',
  '22.20.0',
  '20.19.5',
  '18.20.8',
  '16.20.2',
  '14.21.3',
  '12.22.12',
  '10.24.1',
  '8.10.0',
] as const

interface ChosenNode {
  readonly version: string
  readonly wanted: string
  readonly found: boolean
}

/** The newest supported version that an `engines.node` range allows; the newest of all where none does. */
export function chooseNode(engine: unknown): ChosenNode {
  const newest = VERSIONS[0]
  if (engine === undefined) return { version: newest, wanted: '', found: true }
  const wanted = String(engine).trim()
  const range = readRange(wanted)
  const version = VERSIONS.find((candidate) => range?.test(candidate))
  return { version: version ?? newest, wanted, found: version !== undefined }
}
