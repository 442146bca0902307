import type { HeaderList } from '../../answer.ts'
import { writeCount } from '../../request/request-id.ts'
import { stampHeaders } from '../../stamp.ts'
import { FLAG, HEAD_BYTES, MAX_FRAME_BYTES, TYPE, writeHead } from './frames.ts'
import { encodeHeaders } from './header-encoder.ts'

/** What belongs to connections of HTTP/1.1 and must not be said over HTTP/2. */
const OF_CONNECTIONS = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
])

/** The headers of an answer that is sent again and again, of which the date and the id are written anew each time. */
export interface Http2Head {
  /** Of its frame. */
  readonly bytes: number
  /** Answers where the next frame goes. */
  write(into: Buffer, at: number, stream: number, isEnd: boolean, date: string, id: string): number
}

/** A date as it is sent always has this length, and all ids of a process have another. */
const DATE_LENGTH = 29

/** `unfit` when it has to be said by others. `date` and `id` are any of this process. */
export function createHttp2Head(
  status: number,
  headers: HeaderList,
  date: string,
  id: string,
): Http2Head | 'unfit' {
  const flat: string[] = []
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string
    const value = headers[i + 1] as string | readonly string[]
    if (OF_CONNECTIONS.has(name) || date.length !== DATE_LENGTH) return 'unfit'
    for (const one of typeof value === 'object' ? value : [value]) flat.push(name, one)
  }
  const parts = [encodeHeaders([':status', String(status)])]
  let dateEnd = 0
  const idEnds: number[] = []
  let length = (parts[0] as Buffer).length
  const stamps = stampHeaders(date, id)
  for (let i = 0; i < stamps.length; i += 2) {
    const part = encodeHeaders(stamps.slice(i, i + 2))
    length += part.length
    parts.push(part)
    if (stamps[i + 1] === date) dateEnd = length
    if (stamps[i + 1] === id) idEnds.push(length)
  }
  const block = Buffer.concat([...parts, encodeHeaders(flat)])
  if (block.length > MAX_FRAME_BYTES) return 'unfit'
  return new StampedHead(block, dateEnd, idEnds, date)
}

class StampedHead implements Http2Head {
  readonly bytes: number
  readonly #block: Buffer
  readonly #dateAt: number
  readonly #idEnds: readonly number[]
  #date: string

  constructor(block: Buffer, dateEnd: number, idEnds: readonly number[], date: string) {
    this.#block = block
    this.bytes = HEAD_BYTES + block.length
    this.#dateAt = dateEnd - DATE_LENGTH
    this.#idEnds = idEnds
    this.#date = date
  }

  write(into: Buffer, at: number, stream: number, isEnd: boolean, date: string, id: string): number {
    const block = this.#block
    if (date !== this.#date) {
      this.#date = date
      block.write(date, this.#dateAt, 'latin1')
    }
    writeCount(block, this.#idEnds, id)
    const flags = FLAG.endHeaders | (isEnd ? FLAG.endStream : 0)
    const start = writeHead(into, at, block.length, TYPE.headers, flags, stream)
    into.set(block, start)
    return start + block.length
  }
}
