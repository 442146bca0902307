import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import type { Sandbox, SandboxExit } from '#core/ports/sandbox.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { createSharpImages } from './sharp-images.ts'

const REQUEST = { width: 640, quality: 75, type: 'image/webp' } as const

/** Processes that write one of these answers each, in turn, and are dead then. */
function imagesOf(answers: readonly string[], more: { readonly atOnce?: number } = {}) {
  let begun = 0
  const spawn: Sandbox['spawn'] = ({ argv }) => {
    const [stdout, exit] = [new PassThrough(), Promise.withResolvers<SandboxExit>()]
    const answer = answers[begun++] ?? ''
    const server = createServer({ allowHalfOpen: true }, (connection) => {
      connection.resume().once('end', () => connection.end(answer))
    })
    server.listen(argv[3], () => stdout.write('ready\n'))
    const kill = () => server.close(() => exit.resolve({ code: null, reason: 'killed' }))
    return { stdout, stderr: new PassThrough(), exit: exit.promise, kill }
  }
  const openSandbox = async () => ({ kind: 'none', spawn, close: async () => {} }) as unknown as Sandbox
  return { images: createSharpImages({ openSandbox, log: silentLog, ...more }), begun: () => begun }
}

test('half of an image, or nothing, is asked for again of a process that is not dead', async () => {
  for (const half of ['', '{"byt', '{"bytes":500}\nonly half']) {
    const { images, begun } = imagesOf([half, '{"bytes":5}\nwhole'])
    const image = await images.convert(Buffer.from('source'), REQUEST)
    assert.deepEqual([String(image), begun()], ['whole', 2], half)
    await images.close()
  }
})

test('an image that brings down every process that reads it is refused', async () => {
  const { images, begun } = imagesOf([])
  await assert.rejects(images.convert(Buffer.from('source'), REQUEST), { kind: 'unreadable' })
  assert.equal(begun(), 2)
  await images.close()
})

test('nobody is told that their image is broken because somebody else’s is', async () => {
  const { images } = imagesOf([], { atOnce: 2 })
  const both = [1, 2].map(() => images.convert(Buffer.from('source'), REQUEST))
  await assert.rejects(Promise.race(both), { kind: 'busy' })
  await Promise.allSettled(both)
  await images.close()
})
