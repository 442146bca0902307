import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_RATE_LIMITS } from '#dns/rate-limit.ts'
import { Responder } from '#dns/responder.ts'
import { question } from '#test/support/dns/dns-client.ts'
import { createResolver, createZones, zoneOf } from '#test/support/dns/zones.ts'
import { silentLog } from '#test/support/silent-log.ts'

const NAMES = 500
/** As long as an answer can be that still goes over UDP. */
const zones = createZones(
  zoneOf(
    'hostile.example',
    Array.from({ length: NAMES }, (_, n) => [`n${n}`, 'TXT', 'x'.repeat(1100)] as const),
  ),
)

/** What a flood of questions that pretend to come from one network brings to it, by a clock of the test's own. */
async function flood(perSecond: number, seconds: number) {
  const clock = { time: 1_000_000, now: () => clock.time, monotonic: () => clock.time }
  const responder = new Responder({
    zones,
    resolver: createResolver({}),
    clock,
    log: silentLog,
    cookieSecret: Buffer.alloc(16, 7),
  })
  const counts = { asked: 0, answered: 0, largest: 0 }
  for (let n = 0; n < perSecond * seconds; n++) {
    clock.time = 1_000_000 + (n / perSecond) * 1000
    const packet = question(
      { name: `n${n % NAMES}.hostile.example`, type: 'TXT', udpBytes: 4096 },
      n & 0xffff,
    )
    const reply = await responder.respond(packet, `203.0.113.${n % 256}`, false)
    counts.asked += packet.length
    counts.answered += reply?.length ?? 0
    counts.largest = Math.max(counts.largest, (reply?.length ?? 0) / packet.length)
  }
  return counts
}

test('a zone of long answers makes no weapon of us', async (t) => {
  const seconds = 3
  const counts = await flood(20_000, seconds)
  const ratio = counts.answered / counts.asked
  const perSecond = counts.answered / seconds
  t.diagnostic(`one answer is at most ${counts.largest.toFixed(1)} times as long as its question`)
  t.diagnostic(
    `a flood of ${Math.round(counts.asked / seconds / 1000)} kB/s is turned into ${Math.round(perSecond / 1000)} kB/s, ${ratio.toFixed(2)} times as much`,
  )
  // What one network is sent is bounded, and a flood is made smaller on its way, not larger.
  assert.ok(ratio < 1, `${ratio} times`)
  assert.ok(perSecond < DEFAULT_RATE_LIMITS.perNetwork * 128 * 2 + counts.asked / seconds / 2)
})
