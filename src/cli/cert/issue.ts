import { issueCertificate } from '#contract/api/certificate.ts'
import { accountApi } from '../account.ts'
import { defineCommand, flag, oneOrMore } from '../command.ts'
import { plainText } from '../plain-text.ts'
import { whileSpinning } from '../spinner.ts'

export const command = defineCommand({
  doing: 'have the certificate issued',
  about: 'For names in domains that the account has verified. Hosts that show something need not ask.',
  team: true,
  arguments: { names: oneOrMore('host names, or *. and a domain') },
  options: { renew: flag('a new one even if there is one that is good for long') },
  examples: [
    ['certs issue example.com www.example.com', 'one certificate for both names'],
    ['certs issue example.com --renew', 'a new one now'],
  ],
  hints: {
    domain_not_verified: 'Verify the domain first: `aloft domains inspect <domain>` says how.',
    wildcard_not_allowed: 'Set our nameservers at the registrar of the domain, or name the hosts one by one.',
  },
  async run(cli, { names, renew }) {
    const { out } = cli
    const api = await accountApi(cli)
    const shown = plainText(names.join(', '))
    const body = { domains: [...names], ...(renew ? { renew } : {}) }
    const issued = await whileSpinning(cli, `Requesting a certificate for ${shown}`, () =>
      api.call(issueCertificate, { body }),
    )
    if (!out.json) out.say(`There is a certificate for ${shown}.`)
    out.show({ ...issued, cns: names }, () => issued.uid)
  },
})
