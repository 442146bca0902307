import { addDomain } from '#contract/api/domain.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { stateOf } from './state-of.ts'

export const command = defineCommand({
  doing: 'add the domain',
  about: 'A domain stands for everything below it: www.example.com need not be added.',
  team: true,
  arguments: { domain: required('the domain, in whatever script') },
  examples: [
    ['domains add example.com', 'and see how to show that it is yours'],
    ['domains add example.com --team acme', 'for a team'],
  ],
  hints: { invalid_domain: 'Name a domain that you registered, as in example.com.' },
  async run(cli, given) {
    const { out } = cli
    const api = await accountApi(cli)
    const { domain } = await api.call(addDomain, { body: { name: given.domain } })
    out.show(domain, () => stateOf(domain, out))
  },
})
