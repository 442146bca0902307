import { PassThrough, type Readable } from 'node:stream'

export interface Split {
  readonly stdout: Readable
  readonly stderr: Readable
}

const HEADER = 8
const STDERR = 2

/**
 * Takes the two outputs of a container apart: the engine sends each piece after a header of eight bytes, the stream's
 * number and the length. What is not read makes the source wait.
 */
export function splitFrames(source: Readable): Split {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const outputs = [stdout, stderr]
  let header = Buffer.alloc(0)
  let target = stdout
  let left = 0

  source.on('data', (chunk: Buffer) => {
    let rest = chunk
    while (rest.length > 0) {
      if (left === 0) {
        const need = HEADER - header.length
        header = Buffer.concat([header, rest.subarray(0, need)])
        rest = rest.subarray(need)
        if (header.length < HEADER) return
        target = header[0] === STDERR ? stderr : stdout
        left = header.readUInt32BE(4)
        header = Buffer.alloc(0)
        continue
      }
      const piece = rest.subarray(0, left)
      left -= piece.length
      rest = rest.subarray(piece.length)
      if (!target.write(piece)) wait(target)
    }
  })
  const waiting = new Set<PassThrough>()
  const wait = (output: PassThrough) => {
    if (waiting.has(output)) return
    waiting.add(output)
    source.pause()
    output.once('drain', () => {
      waiting.delete(output)
      if (waiting.size === 0) source.resume()
    })
  }
  const end = () => {
    for (const output of outputs) output.end()
  }
  source.once('end', end)
  source.once('close', end)
  // Whatever was said until then is what there is.
  source.on('error', end)
  return { stdout, stderr }
}
