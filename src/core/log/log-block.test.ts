import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import {
  isVisit,
  type LogBlock,
  type NewRecord,
  packBatch,
  pieceOfField,
  pieceOfText,
  unpackBlock,
  type VisitForm,
} from './log-block.ts'
import type { NewLogEntry } from './log-entry.ts'
import { entriesOfVisit } from './logged-visit.ts'
import { sampleVisit } from './logged-visit-testing.ts'
import { timeOfSerial } from './serial.ts'
import { logId } from './write/log-ids.ts'

const START = 1_700_000_000_000

const FORMS = ['records', 'columns'] as const satisfies readonly VisitForm[]
const forms = fc.constantFrom(...FORMS)

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
  ip: fc.constantFrom('192.0.2.1', '2001:db8::1'),
  userAgent: fc.oneof(fc.constantFrom('curl/8', 'a "browser"'), fc.string({ unit: 'grapheme' })),
  entrypoint: fc.constantFrom('index.html', 'api/x.js', ''),
  host: fc.constantFrom('a.aloft.test', 'www.a.aloft.test'),
  method: fc.constantFrom('GET', 'HEAD', 'POST'),
  environment: fc.constantFrom('production' as const, 'preview' as const),
  at: fc.integer({ min: START - 1000, max: START + 1000 }),
  bytes: fc.nat(),
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
    fc.property(
      batches,
      fc.bigInt({ min: -1n, max: BigInt(START + 100) * 1_000_000n }),
      forms,
      (batch, after, form) => {
        const { blocks, lines } = packBatch(batch, after, form)
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
      },
    ),
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
  for (const form of FORMS) {
    const [block]: readonly LogBlock[] = packBatch(
      [visit(404), visit(200), visit(503), line],
      -1n,
      form,
    ).blocks
    assert.deepEqual(
      [block?.statuses, block?.entries, block?.hasErrors, block?.projectId],
      [{ from: 200, to: 503 }, 7, true, 'prj_1'],
    )
    const [quiet]: readonly LogBlock[] = packBatch(
      [{ ...line, stream: undefined as never }],
      -1n,
      form,
    ).blocks
    assert.deepEqual([quiet?.statuses, quiet?.hasErrors], [undefined, false])
  }
})

it('holds the piece of any text that is found in one of its entries', () => {
  const parts = fc.tuple(fc.nat(), fc.nat(), fc.nat())
  fc.assert(
    fc.property(batches, parts, forms, (batch, [which, start, length], form) => {
      for (const block of packBatch(batch, -1n, form).blocks) {
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
  for (const form of FORMS) {
    const [block] = packBatch([visit(404), line, visit(200), visit(503)], -1n, form).blocks
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
  }
})

const three: NewRecord[] = ['/a', '/b', '/b'].map((path, i) => ({
  visit: sampleVisit({ id: `req_${i}`, path, at: START + i, ...(i === 2 ? { method: 'HEAD' } : {}) }),
  ...{ region: 'iad1', takenAt: START + 2 * i, count: 7 + 2 * i },
}))

it('stores visits field by field, in a form that later versions read', () => {
  const body = `[[0,0,${START},7,"req_0",${START},12.6,404,345,"GET","/a","192.0.2.1","curl/8","a.aloft.test","HTTP/1.1","error","404.html","production","iad1",0,null,[2,[2000000],[2],[2],[1],[126],[404],[345],["req_1","req_2"],["/b"],["192.0.2.1"],["curl/8"],[0],["404.html"],[0],[["GET","a.aloft.test","HTTP/1.1","error","production","iad1",0,null],["HEAD","a.aloft.test","HTTP/1.1","error","production","iad1",0,null]],[0,1]]]]`
  const [block] = packBatch(three, -1n, 'columns').blocks
  assert.equal(block?.body, body)
  const [other] = packBatch(three, -1n, 'records').blocks
  assert.ok(block && other)
  assert.deepEqual(unpackBlock(block), unpackBlock(other))
})

it('lets the version before, which knows no columns, read the first of the visits', () => {
  const [inColumns, inRecords] = (['columns', 'records'] as const).map((form) =>
    JSON.parse(packBatch(three, -1n, form).blocks[0]?.body ?? ''),
  )
  assert.deepEqual(inColumns[0].slice(0, inRecords[0].length), inRecords[0])
})

it('takes much less text for visits field by field than one by one', () => {
  const batch = Array.from({ length: 500 }, (_, i) => ({
    ...(three[i % 3] as NewRecord),
    takenAt: START + i,
  }))
  const [columns, records] = (['columns', 'records'] as const).map(
    (form) => packBatch(batch, -1n, form).blocks[0]?.body.length ?? 0,
  )
  assert.ok(Number(columns) * 3 < Number(records), `${columns} and ${records} characters`)
})
