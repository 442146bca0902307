import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { isVisit, type NewRecord, packBatch, pieceOfField, pieceOfText, unpackBlock } from './log-block.ts'
import type { NewLogEntry } from './log-entry.ts'
import { entriesOfVisit } from './logged-visit.ts'
import { sampleVisit } from './logged-visit-testing.ts'
import { timeOfSerial } from './serial.ts'
import { logId } from './write/log-ids.ts'

const START = 1_700_000_000_000

const deployments = fc.constantFrom('dpl_a', 'dpl_b', 'dpl_c')

const entries = fc.record({
  kind: fc.constant('entry' as const),
  deploymentId: deployments,
  build: fc.boolean(),
  text: fc.string({ unit: 'grapheme' }),
})
const visits = fc.record({
  kind: fc.constant('visit' as const),
  deploymentId: deployments,
  path: fc.webPath(),
  status: fc.integer({ min: 100, max: 599 }),
  ms: fc.integer({ min: 0, max: 100_000 }),
  coldStart: fc.option(fc.constant(true), { nil: undefined }),
  reason: fc.option(fc.string(), { nil: undefined }),
})

const batches = fc.array(fc.tuple(fc.oneof(entries, visits), fc.nat(40)), { maxLength: 60 }).map((list) => {
  let takenAt = START
  return list.map(([given, later], i): NewRecord => {
    takenAt += later
    const { kind, deploymentId, ...rest } = given
    if (kind === 'visit') {
      const { coldStart, reason, ...visit } = rest as Omit<
        typeof given & { kind: 'visit' },
        'kind' | 'deploymentId'
      >
      return {
        visit: sampleVisit({
          ...visit,
          deploymentId,
          ...(coldStart === undefined ? {} : { coldStart }),
          ...(reason === undefined ? {} : { reason }),
        }),
        region: 'iad1',
        takenAt,
        count: 2 * i,
      }
    }
    const { text, build } = rest as { text: string; build: boolean }
    return {
      id: logId(takenAt, 2 * i),
      takenAt,
      deploymentId,
      type: 'stdout',
      at: takenAt,
      text,
      info: { type: build ? 'build' : 'lambda', name: 'x', entrypoint: 'api/x' },
      region: 'iad1',
    }
  })
})

/** What a record is read as, without its place. */
function expected(record: NewRecord): object[] {
  if (!isVisit(record)) {
    const { takenAt: _, ...entry } = record
    return [entry]
  }
  const { request, response } = entriesOfVisit(record.visit, record.region)
  return [
    { ...request, id: logId(record.takenAt, record.count) },
    { ...response, id: logId(record.takenAt, record.count + 1) },
  ]
}

it('gives back every entry of every deployment in its order, whatever a batch holds', () => {
  fc.assert(
    fc.property(batches, fc.bigInt({ min: -1n, max: BigInt(START + 100) * 1_000_000n }), (batch, after) => {
      const { blocks, lines } = packBatch(batch, after)
      const all = [
        ...blocks.flatMap((block) => unpackBlock(block)),
        ...lines.map(({ entry, serial }) => {
          const { takenAt: _, ...rest } = entry as NewLogEntry
          return { ...rest, serial: String(serial), createdAt: timeOfSerial(String(serial)) }
        }),
      ].sort((a, b) => (BigInt(a.serial) < BigInt(b.serial) ? -1 : 1))

      const serials = all.map(({ serial }) => BigInt(serial))
      assert.ok(serials.every((serial, i) => serial > (i === 0 ? after : (serials[i - 1] as bigint))))
      assert.ok(all.every(({ serial, createdAt }) => createdAt === timeOfSerial(serial)))
      for (const deploymentId of ['dpl_a', 'dpl_b', 'dpl_c'])
        assert.deepEqual(
          all
            .filter((entry) => entry.deploymentId === deploymentId)
            .map(({ serial, createdAt, ...rest }) => rest),
          batch
            .filter((record) => (isVisit(record) ? record.visit : record).deploymentId === deploymentId)
            .flatMap(expected),
        )
      const ranges = blocks.map(({ firstSerial, lastSerial }) => [firstSerial, lastSerial] as const)
      for (const [i, [first, last]] of ranges.entries()) {
        assert.ok(first <= last)
        assert.ok(i === 0 || first > (ranges[i - 1]?.[1] ?? 0n), 'blocks do not overlap')
        assert.ok(
          lines.every(({ serial }) => serial < first || serial > last),
          'nothing lies within a block',
        )
      }
    }),
  )
})

it('says what statuses a block holds, how many entries, and whether a program wrote an error', () => {
  const visit = (status: number): NewRecord => ({
    visit: sampleVisit({ status }),
    region: 'iad1',
    takenAt: START,
    count: 1,
  })
  const line: NewRecord = {
    id: '1',
    takenAt: START,
    deploymentId: 'dpl_a',
    projectId: 'prj_1',
    type: 'stdout',
    at: START,
    text: 'oh',
    info: { type: 'lambda', name: 'x', entrypoint: '' },
    region: 'iad1',
    stream: 'stderr',
  }
  const [block] = packBatch([visit(404), visit(200), visit(503), line], -1n).blocks
  assert.deepEqual(
    [block?.statuses, block?.entries, block?.hasErrors, block?.projectId],
    [{ from: 200, to: 503 }, 7, true, 'prj_1'],
  )
  const [quiet] = packBatch([{ ...line, stream: undefined as never }], -1n).blocks
  assert.deepEqual([quiet?.statuses, quiet?.hasErrors], [undefined, false])
})

it('holds the piece of any text that is found in one of its entries', () => {
  const parts = fc.tuple(fc.nat(), fc.nat(), fc.nat())
  fc.assert(
    fc.property(batches, parts, (batch, [which, start, length]) => {
      for (const block of packBatch(batch, -1n).blocks) {
        const entries = unpackBlock(block)
        const { text = '', request } = entries[which % entries.length] ?? {}
        const from = start % (text.length + 1)
        const piece = pieceOfText(text.slice(from, from + 1 + (length % 40)))
        assert.ok(piece === undefined || block.body.includes(piece), `${piece} is not in ${block.body}`)
        const path = pieceOfField(request?.uri.slice(start % 5) ?? '')
        assert.ok(path === undefined || block.body.includes(path), `${path} is not in ${block.body}`)
      }
    }),
  )
})

it('cannot tell a piece of what is put together or replaced when it is read', () => {
  for (const text of ['', ' ', '404', 'ms', '13ms', '404 13ms', 'a\ufffdb', '\ud83d'])
    assert.equal(pieceOfText(text), undefined, text)
  assert.equal(pieceOfText('GET /docs?page=2 404 13ms'), '/docs?page=2')
  assert.equal(pieceOfText('says "no" to /a'), '\\"no\\"')
})

it('leaves out visits with other statuses than are meant, and nothing that a program wrote', () => {
  const visit = (status: number): NewRecord => ({
    visit: sampleVisit({ status }),
    ...{ region: 'iad1', takenAt: START, count: 1 },
  })
  const line: NewRecord = {
    ...{ id: '1', takenAt: START, deploymentId: 'dpl_a', type: 'stdout', at: START, text: 'oh' },
    ...{ info: { type: 'lambda', name: 'x', entrypoint: '' }, region: 'iad1' },
  }
  const [block] = packBatch([visit(404), line, visit(200), visit(503)], -1n).blocks
  assert.ok(block)
  const found = unpackBlock(block, (status) => status === 200)
  assert.deepEqual(
    found.map(({ type, request }) => [type, request?.status]),
    [
      ['stdout', undefined],
      ['request', undefined],
      ['response', 200],
    ],
  )
})
