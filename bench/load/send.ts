import { Agent, request } from 'node:http'
import { Readable } from 'node:stream'

interface Ask {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string
  readonly agent: Agent
  /**
   * Whether a body goes out in pieces, each after the one before was taken. A system call that copies megabytes keeps a core,
   * whoever else wants it and however low its priority is, which nobody does who sends from another machine.
   */
  readonly inPieces?: boolean
}

export interface Reply {
  readonly status: number
  readonly body: string
}

const PIECE = 64 * 1024
/** Of what comes back, no more is kept: a backup is larger than any text can be. */
const MOST_KEPT = 64 * 1024 * 1024

function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += PIECE) yield body.subarray(at, at + PIECE)
}

export const oneConnection = (): Agent => new Agent({ keepAlive: true, maxSockets: 1 })

export function send({ url, method = 'GET', headers = {}, body, agent, inPieces }: Ask): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        if (text.length < MOST_KEPT) text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
      response.on('error', reject)
    })
    asked.on('error', reject)
    if (body !== undefined && inPieces) {
      const bytes = typeof body === 'string' ? Buffer.from(body) : body
      asked.setHeader('content-length', bytes.length)
      Readable.from(piecesOf(bytes)).pipe(asked)
    } else {
      // In one piece, so that a body goes out with its length.
      asked.end(body)
    }
  })
}
