import type { RefResult } from '../push/pushes.ts'
import { PacketReader } from './pkt-line.ts'

/** What git says that became of each ref. One that it does not name was not taken. */
export function readReport(report: Buffer): readonly RefResult[] {
  const reader = new PacketReader()
  reader.add(report)
  const results: RefResult[] = []
  for (let packet = reader.next(); packet !== undefined && packet !== 'wait'; packet = reader.next()) {
    const line = packet.toString('utf8').replace(/\n$/, '')
    const [, ref, why] = /^(?:ok|ng) (\S+)(?: (.*))?$/.exec(line) ?? []
    if (ref !== undefined)
      results.push({ ref, refusal: line.startsWith('ng ') ? (why ?? 'refused') : undefined })
  }
  return results
}
