import { addDomain } from '#contract/api/domain.ts'
import { getDomainPrice, getDomainRegistry } from '#contract/api/registrar.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { CliError, EXIT } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'
import { priceText } from './price-text.ts'

export const command = defineCommand({
  doing: 'transfer the domain',
  about:
    'Transfers a domain from its current registrar. The authorization code is read from stdin or a hidden prompt.',
  arguments: { domain: required('the domain') },
  examples: [
    ['domains transfer-in example.com', 'see the price, confirm, then enter the code'],
    ['domains transfer-in example.com --yes < code.txt', 'without confirmation'],
  ],
  hints: {
    invalid_auth_code:
      'Get the authorization code from the current registrar; some issue a new one each time.',
    price_mismatch: 'The price has just changed. Run the command again to see it.',
  },
  async run(cli, { domain }) {
    const api = await accountApi(cli)
    const name = plainText(domain)
    const { transferable, reason } = await api.call(getDomainRegistry, { params: { name: domain } })
    if (!transferable)
      throw new CliError(
        EXIT.failure,
        `${name} cannot be transferred in: ${reason || 'its registry refuses the transfer'}.`,
      )
    const cost = await api.call(getDomainPrice, { query: { name: domain, type: 'transfer' } })
    await cli.prompt.confirm(`Transfer ${name} in for ${priceText(cost)}?`)
    const authCode = await cli.prompt.secret(
      `Authorization code from its current registrar:`,
      `aloft domains transfer-in ${domain} --yes < file`,
    )
    const begun = await api.call(addDomain, {
      body: { name: domain, method: 'transfer-in', authCode, expectedPrice: cost.price },
    })
    cli.out.show(
      begun.domain,
      () => `The transfer of ${name} has started. It takes several days; you’ll be notified by email.`,
    )
  },
})
