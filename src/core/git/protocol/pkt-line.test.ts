import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FLUSH, PacketReader, packet } from './pkt-line.ts'

test('packets are read however they are cut, and bytes that come one by one are not copied again and again', (t) => {
  const texts = ['', 'a', 'x'.repeat(20_000), 'end']
  const bytes = Buffer.concat([...texts.map(packet), FLUSH, Buffer.from('PACK')])
  let copied = 0
  const { concat } = Buffer
  t.mock.method(Buffer, 'concat', (list: readonly Uint8Array[], length?: number) => {
    const whole = concat(list, length)
    copied += whole.length
    return whole
  })
  for (const step of [1, 3, 7000, bytes.length]) {
    const reader = new PacketReader()
    const read: (string | undefined)[] = []
    for (let at = 0; at < bytes.length; at += step) {
      reader.add(bytes.subarray(at, at + step))
      while (!read.includes(undefined)) {
        const next = reader.next()
        if (next === 'wait') break
        read.push(next?.toString())
      }
    }
    assert.deepEqual(read, [...texts, undefined])
    assert.equal(reader.rest.toString(), 'PACK')
  }
  assert.ok(copied < 10 * bytes.length, `${copied}`)
})
