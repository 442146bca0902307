import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { RawReply } from '#contract/endpoint.ts'
import { fileRows } from './file.ts'

/** As later versions answer a file. */
function shown(file: Readable): Readable {
  const row = fileRows.find(({ on }) => on.startsWith('GET'))
  const reply = row?.show?.({ type: 'text/plain', body: file } as never, {} as never)
  return (reply as RawReply).body as Readable
}

test('a file inside JSON is whole, however it comes', async () => {
  const file = new PassThrough()
  const body = text(shown(file))
  for (const part of ['a', 'bcde', '', 'f', 'ghi']) file.write(part)
  file.end()
  assert.deepEqual(JSON.parse(await body), { data: Buffer.from('abcdefghi').toString('base64') })
})

test('the file is let go of where nobody reads it to its end, or at all', async () => {
  for (const isBegun of [true, false]) {
    const file = new PassThrough()
    const body = shown(file)
    if (isBegun) {
      file.write('some')
      await once(body, 'readable')
    }
    body.destroy()
    await once(body, 'close')
    assert.equal(file.destroyed, true, String(isBegun))
  }
})
