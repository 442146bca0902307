import type { Static } from 'typebox'
import type { Client } from '#client/client.ts'
import { readAuditLog } from '#contract/api/audit.ts'
import { listProjects } from '#contract/api/project.ts'
import { inWords, textOf, VIAS } from '#contract/words/audit-words.ts'
import { accountApi, actingTeam } from '../account.ts'
import type { Cli } from '../cli.ts'
import { defineCommand, value } from '../command.ts'
import { pageOptions, pageQuery } from '../output/paging.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'
import { findMember } from '../team/members/find-member.ts'

export const command = defineCommand({
  doing: 'read the audit log',
  about:
    'Shows who changed what in the account, and with which token or session. In a team, only an OWNER can read it.',
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
    const nameOf = cli.out.json ? String : await projectNames(api, page.entries)
    const again = ['audit ls', user && `--user ${user}`, action && `--action "${action}"`]
    showList(cli, page, {
      items: page.entries,
      head: ['WHEN', 'CHANGE', 'VIA', 'IP ADDRESS'],
      row: ({ at, user: who, via, member, ip, ...change }) => [
        relativeTime(at, now),
        `${who.username ?? who.email ?? who.id} ${textOf(
          inWords(change, { project: nameOf, person: (id) => member?.username ?? id }),
        )}`,
        [VIAS[via.kind] ?? via.kind, via.kind === 'session' ? '' : via.name].join(' ').trim(),
        ip || '-',
      ],
      empty: 'No matching changes.',
      more: [again.filter(Boolean).join(' '), page.pagination.next],
    })
  },
})

type Entries = Static<typeof readAuditLog.reply>['entries']

/** Names of projects by their ids, asked for only where an entry has an id. */
async function projectNames(api: Client, entries: Entries): Promise<(idOrName: string) => string> {
  const isId = (text: string) => text.startsWith('prj_')
  if (!entries.some(({ target }) => Object.values(target).some(isId))) return String
  const { projects } = await api.call(listProjects, { query: { limit: 100 } })
  const names = new Map(projects.map(({ id, name }) => [id, name]))
  return (idOrName) => names.get(idOrName) ?? idOrName
}

/** Members of a team are known by their names; elsewhere only an id says who is meant. */
async function findUser(cli: Cli, text: string): Promise<string> {
  if (cli.team === undefined && cli.switched() === undefined) return text
  return (await findMember(cli.api(), await actingTeam(cli), text)).uid
}
