import { deleteCertificate, getCertificate } from '#contract/api/certificate.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'delete the certificate',
  about: 'Domains that it served get a new one automatically.',
  arguments: { id: required('id of the certificate') },
  examples: [
    ['certs rm cert_4kTbb1xPBoTqRCUtqdXUkFvG', 'ask for confirmation, then delete'],
    ['certs rm cert_4kTbb1xPBoTqRCUtqdXUkFvG --yes', 'without confirmation'],
  ],
  hints: { cert_not_found: 'List your certificates with `aloft certs ls`.' },
  async run(cli, { id }) {
    const api = await accountApi(cli)
    const found = await api.call(getCertificate, { params: { id } })
    const names = plainText(found.cns.join(', '))
    await cli.prompt.confirm(`Delete the certificate for ${names}?`)
    await api.call(deleteCertificate, { params: { id: found.uid } })
    cli.out.show(found, () => `Deleted the certificate for ${names}.`)
  },
})
