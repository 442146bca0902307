import { saveFile } from '../ui/save-file.ts'

/** Has the browser save an answer under the name that it says. The whole of it is held by the browser until then. */
export async function saveAs(answer: Response, onProgress: (bytes: number) => void): Promise<void> {
  const name = /filename="?([^";]+)/.exec(answer.headers.get('content-disposition') ?? '')?.[1]
  let bytes = 0
  const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      bytes += chunk.length
      onProgress(bytes)
      controller.enqueue(chunk)
    },
  })
  saveFile(name ?? 'aloft-backup.tar', await new Response(answer.body?.pipeThrough(counting) ?? null).blob())
}
