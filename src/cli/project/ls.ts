import { hostsOf } from '#client/hosts.ts'
import { siteAddress } from '#client/site-address.ts'
import { listProjects } from '#contract/api/project.ts'
import { accountApi } from '../account.ts'
import { defineCommand, value } from '../command.ts'
import { readProven } from '../domain/proven.ts'
import { pageOptions, pageQuery } from '../output/paging.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'
import { withoutBypass } from './bypass/without-bypass.ts'

export const command = defineCommand({
  doing: 'list the projects',
  options: { ...pageOptions, search: value('text', 'only projects whose name contains this') },
  examples: [
    ['projects ls', 'your projects, most recently updated first'],
    ['projects ls --search shop --team acme', 'search the projects of a team'],
    ['projects ls --json', 'as JSON'],
  ],
  async run(cli, given) {
    const { search } = given
    const now = cli.now()
    const api = await accountApi(cli)
    const page = await api.call(listProjects, {
      query: { ...pageQuery(given), ...(search === undefined ? {} : { search }) },
    })
    const projects = page.projects.map(withoutBypass)
    const live = projects.flatMap(({ targets }) => targets.production ?? [])
    const isProven = cli.out.json ? () => false : await readProven(api, live)
    const productionOf = (shown: (typeof live)[number] | undefined): string => {
      const host = shown && hostsOf(shown, isProven)[0]
      return host ? siteAddress(cli.baseUrl, host) : '-'
    }
    showList(
      cli,
      { ...page, projects },
      {
        items: projects,
        head: ['NAME', 'PRODUCTION', 'FRAMEWORK', 'UPDATED', 'ID'],
        row: ({ name, targets, paused, framework, updatedAt, id }) => [
          name,
          paused ? 'paused' : productionOf(targets.production),
          framework ?? '-',
          relativeTime(updatedAt, now),
          id,
        ],
        empty: 'No projects yet. Create one: aloft projects add <name>, or deploy a folder: aloft',
        more: [
          `projects ls${search === undefined ? '' : ` --search ${JSON.stringify(search)}`}`,
          page.pagination.next,
        ],
      },
    )
  },
})
