import { getCertificate, issueCertificate } from '#contract/api/certificate.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { whileSpinning } from '../output/spinner.ts'

export const command = defineCommand({
  doing: 'renew the certificate',
  about:
    'Issues a new certificate for the same domains now. Certificates issued here otherwise renew automatically.',
  arguments: { id: required('id of the certificate') },
  examples: [['certs renew cert_4kTbb1xPBoTqRCUtqdXUkFvG', 'renew now instead of waiting']],
  hints: {
    not_found: 'List your certificates with `aloft certs ls`.',
    domain_not_verified: 'Verify the domain first: `aloft domains inspect <domain>` explains how.',
  },
  async run(cli, { id }) {
    const { out } = cli
    const api = await accountApi(cli)
    const { cns } = await api.call(getCertificate, { params: { id } })
    const shown = plainText(cns.join(', '))
    const issued = await whileSpinning(cli, `Renewing the certificate for ${shown}`, () =>
      api.call(issueCertificate, { body: { domains: cns, renew: true } }),
    )
    if (!out.json) out.say(`Renewed the certificate for ${shown}.`)
    out.show({ ...issued, cns }, () => issued.uid)
  },
})
