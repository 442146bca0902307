import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { after, test } from 'node:test'
import { createSharpImages } from '#adapters/images-sharp/sharp-images.ts'
import { type ImageConfig, readImageConfig } from '#core/output/image-config.ts'
import type { Images } from '#core/ports/images.ts'
import type { Sandbox, SandboxExit } from '#core/ports/sandbox.ts'
import { ask, createEdgeWorld, serveSlow } from '#test/support/http/edge.ts'
import { silentLog } from '#test/support/silent-log.ts'

const PICTURES = 100
const AT_ONCE = 2
const PNG = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), Buffer.alloc(100)])

/** Images that somebody has asked the process for, and that it has not answered. */
const held = new Set<Socket>()
let most = 0
let isSlow = true

function answer(connection: Socket): void {
  if (held.delete(connection)) connection.end('{"bytes":7}\nsmaller')
}

/** In the place of sharp's process, one that has as much time as the test wants. */
const slowWorker: Sandbox['spawn'] = ({ argv }) => {
  const [stdout, exit] = [new PassThrough(), Promise.withResolvers<SandboxExit>()]
  const server = createServer({ allowHalfOpen: true }, (connection) => {
    held.add(connection)
    most = Math.max(most, held.size)
    connection.resume().once('end', () => isSlow || answer(connection))
  })
  server.listen(argv[3], () => stdout.write('ready\n'))
  const kill = () => server.close(() => exit.resolve({ code: 0, reason: 'killed' }))
  return { stdout, stderr: new PassThrough(), exit: exit.promise, kill }
}

const sharpImages = createSharpImages({
  openSandbox: async () => ({ kind: 'none', spawn: slowWorker, close: async () => {} }) as unknown as Sandbox,
  ...{ log: silentLog, atOnce: AT_ONCE, limitMs: 600_000 },
})
const all = Promise.withResolvers<void>()
let wanted = 0
const images: Images = {
  ...sharpImages,
  convert: (source, request) => {
    if (++wanted === AT_ONCE) all.resolve()
    return sharpImages.convert(source, request)
  },
}
const world = createEdgeWorld({ images })
const server = await serveSlow(world.edge)
after(async () => {
  await server.close()
  await world.edge.close()
  await sharpImages.close()
})

test('of a page of a hundred pictures a few are made at once, and neighbours get their files meanwhile', async () => {
  const config = readImageConfig({ sizes: [640], formats: ['image/webp'] }) as ImageConfig
  const names = Array.from({ length: PICTURES }, (_, n) => `${n}.png`)
  const files = Object.fromEntries(names.map((name) => [name, PNG]))
  world.addSite('page.test', files, { images: config, routes: [], routesFrom: 'output' })
  world.addSite('neighbour.test', { 'index.html': 'at once' })

  let finished = 0
  const pictures = names.map(async (name) => {
    const path = `/_vercel/image?url=%2F${name}&w=640&q=75`
    const { status, text } = await ask(server.port, path, { host: 'page.test' })
    finished++
    return [status, text]
  })
  await all.promise
  const { status, text } = await ask(server.port, '/', { host: 'neighbour.test' })
  assert.deepEqual([status, text, finished], [200, 'at once', 0])

  isSlow = false
  for (const connection of held) answer(connection)
  const answers = await Promise.all(pictures)
  assert.deepEqual(new Set(answers.map(String)), new Set(['200,smaller']))
  assert.equal(most, AT_ONCE)
})
