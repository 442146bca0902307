import { showBytes } from '#contract/amounts.ts'
import { listMachines } from '#contract/api/machine.ts'
import { SECOND } from '#contract/time.ts'
import { defineCommand } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { renderTable } from '../output/table.ts'
import { operatorHints } from './hints.ts'

export const command = defineCommand({
  doing: 'list the machines',
  teamless: true,
  examples: [['operator machines', 'their roles and status']],
  hints: operatorHints,
  async run(cli) {
    const { out } = cli
    const answer = await cli.api().call(listMachines)
    const { machines } = answer
    if (machines.length === 0 && !out.json)
      out.say('This is the only machine. Machines that share a PostgreSQL database are listed here.')
    const rows = machines.map((each) => [
      plainText(each.name),
      each.role,
      each.isAlive
        ? each.isDraining
          ? 'draining'
          : 'well'
        : `silent for ${Math.round(each.heardAgo / SECOND)} s`,
      plainText(each.version),
      plainText(each.origin),
      plainText(each.address ?? '–'),
      each.load.toFixed(2),
      showBytes(each.memory.free),
      showBytes(each.disk.free),
    ])
    out.show(answer, () =>
      rows.length === 0
        ? ''
        : renderTable(
            ['NAME', 'ROLE', 'STATUS', 'VERSION', 'ORIGIN', 'ADDRESS', 'LOAD', 'MEMORY FREE', 'DISK FREE'],
            rows,
            out.colors,
          ),
    )
  },
})
