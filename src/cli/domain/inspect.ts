import { inspectDomain } from '#contract/api/domain.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { whileSpinning } from '../output/spinner.ts'
import { renderTable } from '../output/table.ts'

const values = (list: readonly string[]): string => list.join(', ') || '-'

export const command = defineCommand({
  doing: 'inspect the domain',
  about: 'Looks up the DNS records of the domain and reports missing or wrong ones.',
  arguments: { name: required('the domain') },
  examples: [
    ['domains inspect example.com', 'check its DNS and see what to do next'],
    ['domains inspect example.com --json', 'as JSON'],
  ],
  hints: { not_found: 'Add it first: aloft domains add <domain>' },
  async run(cli, { name }) {
    const { out } = cli
    const api = await accountApi(cli)
    const found = await whileSpinning(cli, `Looking up the DNS records of ${plainText(name)}`, () =>
      api.call(inspectDomain, { params: { name } }),
    )
    out.show(found, () => {
      const { checks, serviceType, verified, nextStep } = found
      const table = renderTable(
        ['CHECK', 'STATUS', 'FOUND', 'EXPECTED'],
        checks.map((check) => [check.id, check.status, values(check.found), values(check.expected)]),
        out.colors,
      )
      const state = `${verified ? 'verified' : 'not verified'}, ${serviceType}`
      return `${plainText(found.name)}: ${state}\n\n${table}\n\nNext: ${plainText(nextStep)}`
    })
  },
})
