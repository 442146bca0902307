import { readAuditLog } from '#contract/api/audit.ts'
import { accountApi, actingTeam } from '../account.ts'
import type { Cli } from '../cli.ts'
import { defineCommand, value } from '../command.ts'
import { pageOptions, pageQuery } from '../paging.ts'
import { relativeTime } from '../relative-time.ts'
import { showList } from '../show-list.ts'
import { findMember } from '../team/find-member.ts'

export const command = defineCommand({
  doing: 'read the audit log',
  about:
    'Shows who changed what in the account, and with which token or session. In a team, only an OWNER can read it.',
  team: true,
  options: {
    user: value('person', 'only changes made by this person: email, username or id'),
    action: value('beginning', 'only actions that start with this, such as "DELETE /v9/projects"'),
    ...pageOptions,
  },
  examples: [
    ['audit ls', 'show the latest changes'],
    ['audit ls --team acme --user jo@example.com', 'show the changes made by one member'],
    ['audit ls --action DELETE --json', 'what was deleted, as JSON'],
  ],
  async run(cli, given) {
    const now = cli.now()
    const api = await accountApi(cli)
    const { user, action } = given
    const page = await api.call(readAuditLog, {
      query: {
        ...pageQuery(given),
        ...(user === undefined ? {} : { userId: await findUser(cli, user) }),
        ...(action === undefined ? {} : { action }),
      },
    })
    const again = ['audit ls', user && `--user ${user}`, action && `--action "${action}"`]
    showList(cli, page, {
      items: page.entries,
      head: ['WHEN', 'WHO', 'ACTION', 'WHAT', 'BY', 'FROM'],
      row: ({ at, user: who, via, action: done, target: { userId, ...target }, member, ip }) => [
        relativeTime(at, now),
        who.username ?? who.email ?? who.id,
        done,
        [...Object.values(target), member?.username ?? userId ?? ''].join(' ').trim() || '-',
        via.name === '' ? via.kind : `${via.kind} ${via.name}`,
        ip || '-',
      ],
      empty: 'No matching changes.',
      more: [again.filter(Boolean).join(' '), page.pagination.next],
    })
  },
})

/** Members of a team are known by their names; elsewhere only an id says who is meant. */
async function findUser(cli: Cli, text: string): Promise<string> {
  if (cli.team === undefined && cli.switched() === undefined) return text
  return (await findMember(cli.api(), await actingTeam(cli), text)).uid
}
