import { getDomainPrice, getDomainStatus } from '#contract/api/registrar.ts'
import { accountApi } from '../account.ts'
import { defineCommand, flag, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { priceText } from './price-text.ts'

export const command = defineCommand({
  doing: 'look up the price',
  arguments: { domain: required('the domain') },
  options: { transfer: flag('show the price of transferring it in') },
  examples: [
    ['domains price example.com', 'its price and availability'],
    ['domains price example.com --transfer', 'the price of transferring it in'],
  ],
  async run(cli, { domain, transfer }) {
    const { out } = cli
    const api = await accountApi(cli)
    const name = plainText(domain)
    if (transfer) {
      const cost = await api.call(getDomainPrice, { query: { name: domain, type: 'transfer' } })
      out.show({ name: domain, ...cost }, () => `Transferring ${name} in costs ${priceText(cost)}.`)
      return
    }
    const { available } = await api.call(getDomainStatus, { query: { name: domain } })
    const cost = await api.call(getDomainPrice, { query: { name: domain } })
    out.show({ name: domain, available, ...cost }, () =>
      available
        ? `${name} costs ${priceText(cost)}. Buy it: aloft domains buy ${name}`
        : `${name} costs ${priceText(cost)}, but it is already registered.`,
    )
  },
})
