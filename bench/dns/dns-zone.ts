import type { Zone, ZoneRecord } from '#core/dns/zone.ts'

const NAMES = 1000
const ZONE = 'bench.test'

/** What is served by both sides: hosts with addresses, some of them under another name, and mail. */
export const benchZone = (): Zone => ({
  name: ZONE,
  serial: 1,
  nameservers: ['ns1.elsewhere.test', 'ns2.elsewhere.test'],
  records: Array.from({ length: NAMES }, (_, i): ZoneRecord => {
    const record = { name: `host${i}.${ZONE}`, ttl: 60 }
    if (i % 10 === 0) return { ...record, type: 'CNAME', value: `host${i + 1}.${ZONE}` }
    if (i % 10 === 5) return { ...record, type: 'TXT', value: `v=spf1 include:_spf.host${i}.test -all` }
    if (i % 10 === 6) return { ...record, type: 'MX', value: `10 host${i + 1}.${ZONE}` }
    return { ...record, type: 'A', value: `192.0.2.${i % 256}` }
  }),
})

/** A name and a type each: mostly addresses, also those that are not there. */
export const benchQuestions = ({ records }: Zone): string[] =>
  records.flatMap(({ name, type }) => [
    `${name} ${type === 'CNAME' ? 'A' : type}`,
    `${name} A`,
    `${name} AAAA`,
  ])
