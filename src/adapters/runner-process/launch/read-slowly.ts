import type { Readable } from 'node:stream'

/** What is read of one stream in each tick: beyond it, whoever writes waits. */
const PER_TICK = 512 * 1024
const TICK_MS = 100

/**
 * Reads a bounded amount in each tick, so that a program that writes without end costs the platform little.
 * `onChunk` answers what the chunk costs beyond its bytes.
 */
export function readSlowly(stream: Readable, onChunk: (chunk: Buffer) => number): void {
  let tick = 0
  let spent = 0
  stream.on('data', (chunk: Buffer) => {
    const now = Math.floor(performance.now() / TICK_MS)
    if (now !== tick) {
      tick = now
      spent = 0
    }
    spent += chunk.length + onChunk(chunk)
    if (spent <= PER_TICK) return
    stream.pause()
    setTimeout(() => stream.resume(), Math.ceil(spent / PER_TICK) * TICK_MS).unref()
  })
  stream.on('error', () => {})
}
