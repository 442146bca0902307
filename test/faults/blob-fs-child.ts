/**
 * Puts, repeats and deletes contents until it is killed. Tells `+ <name>` of each put after it is acknowledged, and
 * `- <name>` of each deletion before it is asked for; a deleted content is never put again.
 *
 *   node blob-fs-child.ts <folder>
 */
import { randomBytes, randomInt } from 'node:crypto'
import { writeSync } from 'node:fs'
import { createFsBlobStore } from '#adapters/blob-fs/fs-blob-store.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { silentLog } from '#test/support/silent-log.ts'

const CALLERS = 8
const tell = (line: string) => writeSync(1, `${line}\n`)

const store = await createFsBlobStore({
  folder: process.argv[2] as string,
  clock: systemClock,
  log: silentLog,
  packBytes: 128 << 10,
})
const mine: Buffer[] = []
const names = new Map<Buffer, string>()

async function put(bytes: Buffer): Promise<void> {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += 20_000) yield bytes.subarray(at, at + 20_000)
  }
  const digest =
    randomInt(2) === 0 ? await store.putBytes(bytes) : await store.put(chunks(), { maxBytes: bytes.length })
  names.set(bytes, digest.sha256)
  mine.push(bytes)
  tell(`+ ${digest.sha256}`)
}

async function deleteSome(): Promise<void> {
  const gone = mine.splice(0, Math.floor(mine.length * 0.7)).map((bytes) => names.get(bytes) as string)
  for (const name of gone) tell(`- ${name}`)
  await store.delete(gone)
}

async function work(): Promise<never> {
  for (;;) {
    const dice = randomInt(100)
    const known = mine.at(-1)
    if (dice < 3) await deleteSome()
    else if (dice < 10 && known !== undefined) await store.putBytes(known)
    else if (dice < 20) await put(randomBytes(70_000 + randomInt(100_000)))
    else await put(randomBytes(randomInt(9000)))
  }
}

await Promise.all(Array.from({ length: CALLERS }, work))
