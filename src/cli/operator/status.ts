import type { Static } from 'typebox'
import { showBytes, showDuration } from '#contract/amounts.ts'
import { getStatus } from '#contract/api/operator.ts'
import { defineCommand } from '../command.ts'
import { renderFacts, renderTable } from '../output/table.ts'
import { operatorHints } from './hints.ts'

export type Status = Static<typeof getStatus.reply>

const port = (number: number): string => (number === 0 ? 'off' : String(number))

const factsOf = (status: Status): readonly (readonly [string, string])[] => [
  ['version', `${status.version} on Node ${status.node}`],
  ['up for', showDuration(status.time - status.startedAt)],
  ['origin', status.origin],
  ['URL', status.baseUrl],
  ['domain', `*.${status.domain} at ${status.addresses.join(', ')}`],
  ['ports', `HTTP ${port(status.ports.http)}, TLS ${port(status.ports.tls)}, DNS ${port(status.ports.dns)}`],
  ['database', `${status.database.kind}, ${showBytes(status.database.bytes)}, at ${status.database.schema}`],
  ['files', showBytes(status.blobs.bytes)],
  ['disk', `${showBytes(status.disk.free)} of ${showBytes(status.disk.total)} free`],
  ['memory', `${showBytes(status.memory.free)} of ${showBytes(status.memory.total)} free`],
  [
    'certificates',
    `from ${status.certificates.authority === 'acme' ? 'a public authority' : 'the local authority'}`,
  ],
  ['mail', status.mail],
  ['runtime', status.runtime],
  ['sandbox', status.sandbox.kind ?? 'unknown'],
  ...status.sandbox.inForce.map(([what = '', how = '']) => [`· ${what}`, how] as const),
  ['queue', `${status.queue.queued} waiting, ${status.queue.running} running, ${status.queue.failed} failed`],
]

export const command = defineCommand({
  doing: 'read the status',
  teamless: true,
  examples: [
    ['operator status', 'components and resource usage'],
    ['operator status --json', 'for monitoring'],
  ],
  hints: operatorHints,
  async run(cli) {
    const { out } = cli
    const status = await cli.api().call(getStatus)
    out.show(status, () =>
      [
        renderFacts(factsOf(status), out.colors),
        '',
        renderTable(
          ['PROCESS', 'MEMORY', 'UP FOR', 'RESTARTS', 'PID'],
          status.processes.map(({ name, memory, startedAt, restarts, hangs, pid }) => [
            name,
            memory === null ? '?' : showBytes(memory),
            showDuration(Math.max(0, status.time - startedAt)),
            hangs > 0 ? `${restarts} (${hangs} hung)` : String(restarts),
            String(pid),
          ]),
          out.colors,
          out.width,
        ),
      ].join('\n'),
    )
    const failing = status.checks.filter(({ ok }) => !ok)
    if (failing.length > 0 && !out.json)
      out.say(
        out.talkColors.yellow(
          `${failing.map(({ name }) => name).join(', ')}: needs attention. See \`aloft operator doctor\`.`,
        ),
      )
  },
})
