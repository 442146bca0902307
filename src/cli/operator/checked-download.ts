import { createHash } from 'node:crypto'
import { END_BYTES, MISSING, readBackupEnd } from '#contract/backup/backup.ts'
import { CliError, EXIT } from '../exit.ts'
import { createEntryFinder } from './find-entry.ts'

const cutOff = (cause?: unknown) => {
  const error = new CliError(
    EXIT.failure,
    'The download stopped before the end of the backup.',
    'Try again. The server log says whether the server caused it.',
  )
  error.cause = cause
  return error
}

export interface Downloaded {
  /** How many contents could not be saved. */
  readonly missing: number
  /** The SHA-256 of these; of very many, the first ones. */
  readonly names: readonly string[]
}

const SHA256 = /^[0-9a-f]{64}$/gm

/**
 * Passes the bytes of a backup on, and throws at the end unless all of them have come: the last entry says how many
 * there are and what they hash to.
 */
export async function* checkedDownload(
  source: AsyncIterable<Uint8Array>,
  onBytes: (total: number) => void,
): AsyncGenerator<Uint8Array, Downloaded> {
  const missing = createEntryFinder(MISSING)
  const hash = createHash('sha256')
  let tail = Buffer.alloc(0)
  let total = 0
  try {
    for await (const chunk of source) {
      total += chunk.length
      const both = Buffer.concat([tail, chunk])
      const cut = Math.max(0, both.length - END_BYTES)
      hash.update(both.subarray(0, cut))
      tail = both.subarray(cut)
      missing.see(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
      onBytes(total)
      yield chunk
    }
  } catch (error) {
    throw error instanceof CliError ? error : cutOff(error)
  }
  const end = readBackupEnd(tail)
  if (end === undefined || end.bytes !== total - END_BYTES) throw cutOff()
  if (end.sha256 !== hash.digest('hex'))
    throw new CliError(
      EXIT.failure,
      'The backup was damaged during the download: its checksum does not match.',
    )
  return { missing: end.missing, names: missing.content().toString('latin1').match(SHA256) ?? [] }
}
