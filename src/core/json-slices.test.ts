import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseJsonInSlices } from './json-slices.ts'

const bytesOf = (text: string) => Buffer.from(text)
const outcome = async (work: () => unknown): Promise<unknown> => {
  try {
    return { value: await work() }
  } catch {
    return 'refused'
  }
}
const same = async (text: string) =>
  assert.deepEqual(
    await outcome(() => parseJsonInSlices(bytesOf(text))),
    await outcome(() => JSON.parse(text)),
  )

const item = (n: number) => ({
  file: `a "quoted" \\ [{,}] ü ${n}`,
  data: 'x'.repeat(n % 50),
  size: n,
  in: [n, { n }],
})
const many = (count: number) => Array.from({ length: count }, (_, n) => item(n))

test('a large object is what JSON.parse makes of it, long lists and all', async () => {
  await same(
    JSON.stringify({ name: 'a', files: many(10_000), after: { files: many(3_000) }, more: many(5_000) }),
  )
  await same(JSON.stringify({ files: many(10_000) }, undefined, 2))
  await same(JSON.stringify(many(10_000)))
  await same(`{"files":${JSON.stringify(many(9_000))},"files":${JSON.stringify(many(8_000))}}`)
  await same(`{"files":["${'\\\\'.repeat(200_000)}",1,${'2,'.repeat(200_000)}3]}`)
})

test('so it is where what looks like the end of an item is inside of a text or an item, or past the list', async () => {
  const texts = Array.from({ length: 5_000 }, (_, n) => ({ n, data: '},{"n":1},{'.repeat(n % 30) }))
  const nested = Array.from({ length: 5_000 }, (_, n) => ({ n, in: [{ n }, { n }, [{ n }, { n }]] }))
  const long = 'x'.repeat(300_000)
  for (const list of [texts, nested])
    await same(JSON.stringify({ list, other: { in: list }, long, list2: list, after: list.slice(9) }))
  await same(JSON.stringify({ list: [...many(2_000), { data: long }], other: [long, ...nested] }))
  await same(`{"list":[${JSON.stringify(long)},1],"a":{"b":${JSON.stringify(nested)}}}`)
})

test('what is not JSON is refused, wherever the mistake is', async () => {
  const good = JSON.stringify({ name: 'a', files: many(10_000), z: 1 })
  const inList = good.indexOf('{"file"', good.length / 2)
  for (const wrong of [',', ']', '}', '[', '{', '"', 'x', '\\', '1,,2', ''])
    for (const at of [0, 1, inList, inList + 3, good.length - 1, good.lastIndexOf(']')])
      await same(good.slice(0, at) + wrong + good.slice(at))
  await same(good.slice(0, -1))
  await same(`{"files":[${'1,'.repeat(200_000)}]}`)
  await same(`{"files":[${'1,'.repeat(200_000)} `)
  await assert.rejects(parseJsonInSlices(Buffer.from([0x22, 0xff, 0x22])), TypeError)
})

test('so are texts that were changed by chance', async () => {
  const base = JSON.stringify({ name: 'a', files: many(6_000), z: [1, { y: [] }] })
  await fc.assert(
    fc.asyncProperty(
      fc.nat(base.length),
      fc.constantFrom('', ',', '"', '[', ']', '{', '}', '\\', ':', ' ', '0', 'null'),
      fc.nat(3),
      async (at, put, cut) => same(base.slice(0, at) + put + base.slice(at + cut)),
    ),
    { numRuns: 50 },
  )
})

test('others have their turn while it is parsed', async () => {
  let turns = 0
  const count = () => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  await parseJsonInSlices(bytesOf(JSON.stringify({ files: many(20_000) })))
  clearImmediate(timer)
  assert.ok(turns >= 10, `${turns} turns`)
})
