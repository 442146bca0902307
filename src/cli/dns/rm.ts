import { deleteDnsRecord } from '#contract/api/dns-record.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { CliError, EXIT } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'
import { allRecords } from './records.ts'

export const command = defineCommand({
  doing: 'delete the DNS record',
  arguments: { domain: required('the domain'), id: required('id of the record') },
  examples: [
    ['dns rm example.com rec_4kTbb1xPBoTqRCUtqdXUkFvG', 'ask for confirmation, then delete'],
    ['dns rm example.com rec_4kTbb1xPBoTqRCUtqdXUkFvG --yes', 'without confirmation'],
  ],
  hints: { not_found: 'List your domains with `aloft domains ls`.' },
  async run(cli, { domain, id }) {
    const api = await accountApi(cli)
    const found = (await allRecords(api, domain)).find((record) => record.id === id)
    if (!found)
      throw new CliError(
        EXIT.notFound,
        `${domain} has no record "${id}".`,
        `List its records with \`aloft dns ls ${domain}\`.`,
      )
    const shown = plainText(`${found.type} ${found.value} on ${found.name || '@'} of ${domain}`)
    await cli.prompt.confirm(`Delete ${shown}?`)
    await api.call(deleteDnsRecord, { params: { domain, recId: id } })
    cli.out.show(found, () => `Deleted ${shown}.`)
  },
})
