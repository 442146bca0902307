import { count } from '#contract/words/wording.ts'
import { saveFile } from '../ui/save-file.ts'

/** The last entry of a backup, and the two empty blocks that end every tar. */
const END = { entry: 'end.json', header: 512, bytes: 2048 }

/**
 * Has the browser save a backup under the name that the answer says. The whole of it is held by the browser until then. Throws
 * where it is no whole one, which is saved all the same.
 */
export async function saveBackup(answer: Response, onProgress: (bytes: number) => void): Promise<void> {
  const name = /filename="?([^";]+)/.exec(answer.headers.get('content-disposition') ?? '')?.[1]
  let bytes = 0
  const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      bytes += chunk.length
      onProgress(bytes)
      controller.enqueue(chunk)
    },
  })
  const archive = await new Response(answer.body?.pipeThrough(counting) ?? null).blob()
  saveFile(name ?? 'aloft-backup.tar', archive)
  const missing = await missingOf(archive)
  if (missing === undefined) throw new Error('The download ended before the backup did. Create it again.')
  if (missing > 0)
    throw new Error(
      `The backup was downloaded, but ${count(missing, 'file')} of deployments could not be included: damaged or missing on the server. Their SHA-256 hashes are in missing.txt in the backup.`,
    )
}

/** How many contents the backup lacks, as its end says; undefined where that is not there. */
async function missingOf(archive: Blob): Promise<number | undefined> {
  const end = await archive.slice(-END.bytes).text()
  if (end.length !== END.bytes || !end.startsWith(`${END.entry}\0`)) return undefined
  const [text = ''] = end.slice(END.header).split('\n', 1)
  try {
    const { missing } = JSON.parse(text) as { readonly missing?: unknown }
    return typeof missing === 'number' ? missing : undefined
  } catch {
    return undefined
  }
}
