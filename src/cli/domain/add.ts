import { addDomain } from '#contract/api/domain.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { stateOf } from './state-of.ts'

export const command = defineCommand({
  doing: 'add the domain',
  about: 'A domain includes its subdomains: you do not need to add www.example.com.',
  arguments: { domain: required('domain to add') },
  examples: [
    ['domains add example.com', 'add it and see how to verify it'],
    ['domains add example.com --team acme', 'for a team'],
  ],
  hints: { invalid_domain: 'Enter a domain that you registered, such as example.com.' },
  async run(cli, given) {
    const { out } = cli
    const api = await accountApi(cli)
    const { domain } = await api.call(addDomain, { body: { name: given.domain } })
    out.show(domain, () => stateOf(domain, out))
  },
})
