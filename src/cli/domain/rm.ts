import { deleteDomain, getDomain } from '#contract/api/domain.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { CliError, EXIT } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'remove the domain',
  about: 'Also removes its DNS records. Fails while aliases or certificates use the domain.',
  arguments: { domain: required('the domain') },
  examples: [
    ['domains rm example.com', 'ask for confirmation, then remove'],
    ['domains rm example.com --yes', 'without confirmation'],
  ],
  hints: {
    not_found: 'List your domains with `aloft domains ls`.',
    conflict_aliases: 'Remove its aliases first: aloft alias ls --domain <domain>',
    conflict_certs: 'Delete its certificates first: aloft certs ls',
  },
  async run(cli, given) {
    const api = await accountApi(cli)
    const { domain } = await api.call(getDomain, { params: { name: given.domain } })
    const name = plainText(domain.name)
    // A name below a domain finds the domain, which is not what was meant to go.
    if (domain.name !== given.domain.toLowerCase() && given.domain.toLowerCase().endsWith(`.${domain.name}`))
      throw new CliError(
        EXIT.notFound,
        `${given.domain} is a subdomain of ${name}.`,
        `aloft domains rm ${name}`,
      )
    await cli.prompt.confirm(`Remove ${name} and its DNS records?`)
    const { uid } = await api.call(deleteDomain, { params: { name: domain.name } })
    cli.out.show({ uid, name: domain.name }, () => `Removed ${name}.`)
  },
})
