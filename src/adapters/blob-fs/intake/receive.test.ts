import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { inlineIntake } from './intake.ts'
import { Pace } from './pace.ts'
import { receive } from './receive.ts'
import { Spill } from './spill.ts'
import { IntakeThread } from './threaded-intake.ts'

const CHUNK = 64 << 10

describe('a large content that comes in', () => {
  let folder: string
  let taken = 0
  const pace = new Pace()
  const thread = new IntakeThread((bytes) => {
    taken += bytes
  })
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aloft-receive-'))
  })
  after(async () => {
    await thread.close()
    await rm(folder, { recursive: true })
  })

  async function comeIn(
    bytes: Buffer,
    givesWay: () => boolean,
    intakeFor: Parameters<typeof Spill.create>[1],
    by: Pick<Pace, 'take'>,
  ) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / CHUNK) }, (_, n) =>
      Buffer.from(bytes.subarray(n * CHUNK, (n + 1) * CHUNK)),
    )
    const { digest, content } = await receive(Readable.from(chunks), {
      ...{ maxBytes: bytes.length, smallBytes: CHUNK, sizeHint: bytes.length, ownsChunks: false },
      ...{ givesWay, pace: by as Pace, signals: [], assertRoom() {} },
      spill: () => Spill.create(join(folder, String(Math.random())), intakeFor),
    })
    assert.ok(content instanceof Spill)
    await content.discard()
    return digest
  }

  for (const [where, intakeFor] of [
    ['on the event loop', inlineIntake],
    ['in a thread', ({ fd }) => thread.start(fd)],
  ] as const satisfies [string, Parameters<typeof Spill.create>[1]][])
    it(`waits for its turn after each chunk for as long as others want the CPU, ${where}`, async () => {
      const bytes = randomBytes(10 * CHUNK)
      const turns: number[] = []
      let asked = 0
      const taking = {
        take(size: number) {
          turns.push(size)
          return pace.take(size)
        },
      }
      const { sha1, size } = await comeIn(bytes, () => ++asked <= 4, intakeFor, taking)
      assert.deepEqual([sha1, size], [hash('sha1', bytes), bytes.length])
      assert.deepEqual(turns, [CHUNK, CHUNK, CHUNK, CHUNK])
      assert.equal(asked, 10)
    })

  it('says how much was hashed and written in the thread', () => {
    assert.equal(taken, 10 * CHUNK)
  })
})
