import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { connect } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { createFsBlobStore } from '#adapters/blob-fs/fs-blob-store.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { ask, createEdgeWorld, serveFast, serveHttp2, serveSlow } from '#test/support/http/edge.ts'
import { silentLog } from '#test/support/silent-log.ts'

/** Too large to be kept in memory, so that it is sent while it is read. */
const SIZE = 10 * 2 ** 20
const MEMORY = 8 * 2 ** 20
/** Near the end: whoever is cut has been sent much of it. */
const DAMAGED_AT = SIZE - 2 ** 18

/** A site with a large file of which four bytes are not what they were; with what heals it. */
async function openSite(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-damaged-'))
  const damage: string[] = []
  // A visitor may be cut before the store has put the file aside, and only then can it be uploaded anew.
  const { promise: noticed, resolve: notice } = Promise.withResolvers<void>()
  const blobs = await createFsBlobStore({
    ...{ folder, clock: systemClock, log: silentLog },
    async onDamage(sha256) {
      damage.push(sha256)
      notice()
    },
  })
  const content = randomBytes(SIZE)
  const sha256 = hash('sha256', content)
  const upload = () => blobs.putBytes(content)
  await upload()
  const world = createEdgeWorld({ blobs, budgetBytes: MEMORY })
  world.addSite('site.test', { 'large.bin': content })
  const handle = await open(join(folder, 'large', sha256.slice(0, 2), sha256), 'r+')
  await handle.write(Buffer.alloc(4, content[DAMAGED_AT] === 0 ? 1 : 0), 0, 4, DAMAGED_AT)
  await handle.close()
  t.after(async () => {
    await world.edge.close()
    await blobs.close()
    await rm(folder, { recursive: true, force: true })
  })
  return { world, content, sha256, damage, noticed, upload }
}

type Headers = Readonly<Record<string, string>>
interface Got {
  readonly status: number
  readonly body: Buffer
}

const overHttp1 = (port: number, headers: Headers): Promise<Got> => ask(port, '/large.bin', { headers })

async function overHttp2(port: number, headers: Headers): Promise<Got> {
  const session = connect(`http://127.0.0.1:${port}`)
  session.on('error', () => {})
  try {
    const stream = session.request({ ':path': '/large.bin', ':authority': 'site.test', ...headers })
    let status = 0
    stream.on('response', (head) => {
      status = Number(head[':status'])
    })
    return { body: await buffer(stream), status }
  } finally {
    session.destroy()
  }
}

for (const [name, serve, get] of [
  ['HTTP/1.1', serveSlow, overHttp1],
  ['the fast path of HTTP/1.1', serveFast, overHttp1],
  ['HTTP/2', serveHttp2, overHttp2],
] as const) {
  test(`over ${name}, a large file that is damaged is cut before its end, and whole again once uploaded`, async (t) => {
    const { world, content, sha256, damage, noticed, upload } = await openSite(t)
    const { port, close } = await serve(world.edge)
    t.after(close)
    // An answer that has begun can only break off: what comes is shorter than it says, which no client takes for all of it.
    const found = await get(port, {}).catch(() => 'cut' as const)
    assert.ok(found === 'cut' || found.status === 500, 'damage was sent as if it were right')
    await noticed
    assert.deepEqual(damage, [sha256])
    await upload()
    const healed = await get(port, {})
    assert.equal(healed.status, 200)
    assert.ok(healed.body.equals(content))
  })

  test(`over ${name}, no part of a large file that is damaged is sent`, async (t) => {
    const { world, content, sha256, damage, noticed, upload } = await openSite(t)
    const { port, close } = await serve(world.edge)
    t.after(close)
    // One part with the damage in it, one without.
    for (const from of [DAMAGED_AT - 10, 100]) {
      const found = await get(port, { range: `bytes=${from}-${from + 99}` }).catch(() => 'cut' as const)
      assert.ok(found === 'cut' || found.status >= 400, `the part from ${from} was sent`)
    }
    await noticed
    assert.deepEqual(damage, [sha256])
    await upload()
    const range = `bytes=${DAMAGED_AT - 10}-${DAMAGED_AT + 89}`
    const healed = await get(port, { range })
    assert.equal(healed.status, 206)
    assert.ok(healed.body.equals(content.subarray(DAMAGED_AT - 10, DAMAGED_AT + 90)))
  })
}
