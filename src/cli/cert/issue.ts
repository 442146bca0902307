import { issueCertificate } from '#contract/api/certificate.ts'
import { accountApi } from '../account.ts'
import { defineCommand, flag, oneOrMore } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { whileSpinning } from '../output/spinner.ts'

export const command = defineCommand({
  doing: 'issue the certificate',
  about:
    'For domains that the account has verified. Domains that serve a deployment get a certificate automatically.',
  arguments: { names: oneOrMore('domains; *.example.com for a wildcard') },
  options: { renew: flag('issue a new one even if the current one is still valid') },
  examples: [
    ['certs issue example.com www.example.com', 'one certificate for both domains'],
    ['certs issue example.com --renew', 'issue a new one now'],
  ],
  hints: {
    domain_not_verified: 'Verify the domain first: `aloft domains inspect <domain>` explains how.',
    wildcard_not_allowed:
      'Delegate the domain to our nameservers at its registrar, or list the domains one by one.',
  },
  async run(cli, { names, renew }) {
    const { out } = cli
    const api = await accountApi(cli)
    const shown = plainText(names.join(', '))
    const body = { domains: [...names], ...(renew ? { renew } : {}) }
    const issued = await whileSpinning(cli, `Requesting a certificate for ${shown}`, () =>
      api.call(issueCertificate, { body }),
    )
    if (!out.json) out.say(`The certificate for ${shown} is ready.`)
    out.show({ ...issued, cns: names }, () => issued.uid)
  },
})
