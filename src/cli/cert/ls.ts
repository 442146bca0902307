import { listCertificates } from '#contract/api/certificate.ts'
import { accountApi } from '../account.ts'
import { defineCommand } from '../command.ts'
import { pageOptions, pageQuery } from '../output/paging.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'

export const command = defineCommand({
  doing: 'list the certificates',
  options: pageOptions,
  examples: [
    ['certs ls', 'your certificates, newest first'],
    ['certs ls --team acme --json', 'of a team, as JSON'],
  ],
  async run(cli, given) {
    const now = cli.now()
    const api = await accountApi(cli)
    const page = await api.call(listCertificates, { query: pageQuery(given) })
    showList(cli, page, {
      items: page.certs,
      head: ['ID', 'NAMES', 'EXPIRES', 'RENEWAL', 'CREATED'],
      row: ({ uid, cns, expiration, autoRenew, created }) => [
        uid,
        cns.join(', '),
        relativeTime(Date.parse(expiration), now),
        autoRenew ? 'automatic' : 'manual',
        relativeTime(Date.parse(created), now),
      ],
      empty: 'No certificates yet. Domains that serve a deployment get one automatically.',
      more: ['certs ls', page.pagination.next],
    })
  },
})
