import { buyDomain, getDomainPrice } from '#contract/api/registrar.ts'
import { accountApi } from '../account.ts'
import { defineCommand, readCount, required, value } from '../command.ts'
import { CliError, EXIT } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'
import { priceText } from './price-text.ts'

const MAX_PRICE = 1_000_000

export const command = defineCommand({
  doing: 'buy the domain',
  about: 'Asks for confirmation first. The domain is only bought at the price you confirmed.',
  arguments: { domain: required('the domain') },
  options: { maxPrice: value('dollars', 'stop if it costs more', readCount(MAX_PRICE)) },
  examples: [
    ['domains buy example.com', 'see the price, then confirm'],
    ['domains buy example.com --max-price 20 --yes', 'without asking, up to a price'],
  ],
  hints: {
    price_mismatch: 'The price has just changed. Run the command again to see it.',
    not_available:
      'Choose another domain. If it is yours, transfer it in: aloft domains transfer-in <domain>',
  },
  async run(cli, { domain, maxPrice }) {
    const api = await accountApi(cli)
    const cost = await api.call(getDomainPrice, { query: { name: domain } })
    const name = plainText(domain)
    if (maxPrice !== undefined && cost.price > maxPrice)
      throw new CliError(EXIT.failure, `${name} costs ${priceText(cost)}, more than $${maxPrice}.`)
    await cli.prompt.confirm(`Buy ${name} for ${priceText(cost)}?`)
    await api.call(buyDomain, { body: { name: domain, expectedPrice: cost.price } })
    cli.out.show({ name: domain, ...cost }, () => `Bought ${name} for ${priceText(cost)}.`)
  },
})
