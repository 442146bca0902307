import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Zone, ZoneRecord } from '#core/dns/zone.ts'
import { freePort } from '../free-port.ts'

const missing = (process.env.ALOFT_TEST_MISSING ?? '').split(',').includes('bind')

/** For the `skip` of a test that needs BIND. */
export const withoutBind: string | false = missing && 'bind is not installed'

export interface Bind {
  readonly port: number
  readonly pid: number | undefined
  stop(): Promise<void>
}

/** BIND with these zones, on a free port, in a folder of its own. */
export async function startBind(zones: readonly Zone[]): Promise<Bind> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-bind-'))
  const port = await freePort()
  const blocks = await Promise.all(
    zones.map(async (zone, i) => {
      const file = join(folder, `zone-${i}`)
      await writeFile(file, zoneFile(zone))
      return `zone "${zone.name}" { type primary; file "${file}"; notify no; check-integrity no; check-names ignore; };`
    }),
  )
  await writeFile(
    join(folder, 'named.conf'),
    `options {
  directory "${folder}"; pid-file none; session-keyfile none; managed-keys-directory "${folder}";
  listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
  recursion no; minimal-responses yes; dnssec-validation no; empty-zones-enable no;
  allow-query { any; }; querylog no; zero-no-soa-ttl no; max-udp-size 1232; edns-udp-size 1232;
};
controls { };
${blocks.join('\n')}
`,
  )
  const child = spawn('/usr/sbin/named', ['-g', '-n', '1', '-c', join(folder, 'named.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  const lines: string[] = []
  const ready = Promise.withResolvers<void>()
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (lines.length < 200) lines.push(line)
    if (line.endsWith(' running')) ready.resolve()
  })
  exited.then(() => ready.reject(new Error(`named ended:\n${lines.join('\n')}`)))
  await ready.promise
  return {
    port,
    pid: child.pid,
    async stop() {
      child.kill('SIGKILL')
      await exited.catch(() => {})
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const zoneFile = ({ name, serial, nameservers, records }: Zone): string =>
  [
    `${name}. 3600 IN SOA ${nameservers[0]}. hostmaster.${name}. ${serial} 3600 600 1209600 60`,
    ...nameservers.map((server) => `${name}. 3600 IN NS ${server}.`),
    ...records.map(
      (record) =>
        `${record.name}. ${record.ttl} IN ${record.type} ${VALUE[record.type]?.(record.value) ?? record.value}`,
    ),
    '',
  ].join('\n')

const absolute = (value: string) => `${value}.`
const VALUE: Partial<Record<ZoneRecord['type'], (value: string) => string>> = {
  CNAME: absolute,
  MX: absolute,
  SRV: absolute,
  TXT(value) {
    const bytes = [...Buffer.from(value)].map((byte) => `\\${String(byte).padStart(3, '0')}`)
    const strings: string[] = []
    for (let at = 0; at === 0 || at < bytes.length; at += 255)
      strings.push(`"${bytes.slice(at, at + 255).join('')}"`)
    return strings.join(' ')
  },
}
