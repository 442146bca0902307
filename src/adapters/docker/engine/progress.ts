import { StringDecoder } from 'node:string_decoder'
import { DockerError } from './docker-error.ts'

/** What the engine tells while it builds. */
type Progress =
  | { readonly kind: 'output'; readonly text: string }
  /** A step has left this image. A program can print the same, so it is only ever a hint. */
  | { readonly kind: 'step'; readonly image: string; readonly text: string }
  | { readonly kind: 'image'; readonly id: string }
  | { readonly kind: 'error'; readonly message: string; readonly code: number | undefined }

const MAX_LINE = 4 * 2 ** 20
const STEP = /^ ---> ([0-9a-f]{12})\n$/

/** The messages of a build, of a stream that is cut anywhere. */
export async function* readProgress(source: AsyncIterable<Buffer>): AsyncIterable<Progress> {
  const decoder = new StringDecoder('utf8')
  let begun = ''
  for await (const chunk of source) {
    const parts = (begun + decoder.write(chunk)).split('\n')
    begun = parts.pop() ?? ''
    if (begun.length > MAX_LINE) throw new DockerError('failed', 'The Docker Engine says too much at once')
    for (const part of parts) yield* progressOf(part)
  }
  yield* progressOf(begun + decoder.end())
}

function* progressOf(line: string): Iterable<Progress> {
  if (line.trim() === '') return
  let message: Record<string, unknown>
  try {
    message = JSON.parse(line)
  } catch {
    throw new DockerError('failed', 'The Docker Engine says what cannot be understood')
  }
  const { stream, status, id, error, errorDetail, aux } = message
  if (typeof error === 'string') {
    const code = (errorDetail as { code?: unknown } | undefined)?.code
    yield { kind: 'error', message: error, code: typeof code === 'number' ? code : undefined }
  } else if (typeof stream === 'string') {
    const image = STEP.exec(stream)?.[1]
    yield image ? { kind: 'step', image, text: stream } : { kind: 'output', text: stream }
  } else if (typeof status === 'string') {
    // Each layer's own progress is told many times a second.
    if (id === undefined || /^Pulling from /.test(status)) yield { kind: 'output', text: `${status}\n` }
  } else if (typeof (aux as { ID?: unknown } | undefined)?.ID === 'string') {
    yield { kind: 'image', id: (aux as { ID: string }).ID }
  }
}
