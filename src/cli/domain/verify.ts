import { verifyDomain } from '#contract/api/domain.ts'
import { verifyProjectDomain } from '#contract/api/project-domain.ts'
import { accountApi, folderApi } from '../account.ts'
import { defineCommand, required, value } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { whileSpinning } from '../output/spinner.ts'
import { showAttached } from './show-attached.ts'
import { stateOf } from './state-of.ts'

export const command = defineCommand({
  doing: 'verify the domain',
  about: 'Checks the nameservers or the TXT record that prove ownership.',
  arguments: { domain: required('the domain') },
  options: { project: value('id or name', 'verify a domain that is pending in this project') },
  examples: [
    ['domains verify example.com', 'verify now'],
    ['domains verify www.example.com --project shop', 'verify a pending domain of a project'],
  ],
  hints: {
    verification_failed:
      'DNS changes can take a while. Check the current records with `aloft domains inspect <domain>`.',
    missing_txt_record: 'Create the record, then try again in a minute: DNS changes can take a while.',
    not_found: 'Add it first: aloft domains add <domain>',
  },
  async run(cli, given) {
    const { out } = cli
    const looking = `Looking up the DNS records of ${plainText(given.domain)}`
    if (given.project !== undefined) {
      const api = await folderApi(cli)
      const params = { idOrName: given.project, domain: given.domain }
      const verified = await whileSpinning(cli, looking, () => api.call(verifyProjectDomain, { params }))
      return showAttached(cli, verified, given.project)
    }
    const api = await accountApi(cli)
    const { domain } = await whileSpinning(cli, looking, () =>
      api.call(verifyDomain, { params: { name: given.domain } }),
    )
    out.show(domain, () => stateOf(domain, out))
  },
})
