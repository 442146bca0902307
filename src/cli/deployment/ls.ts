import type { Client } from '#client/client.ts'
import { siteAddress } from '#client/site-address.ts'
import { listEnvironments } from '#contract/api/custom-environment.ts'
import { LISTED_TARGETS, type ListedTarget, listDeployments, READY_STATES } from '#contract/api/deployment.ts'
import { folderApi, linkedAccount } from '../account.ts'
import { defineCommand, flag, oneOf, optional, short, value, values } from '../command.ts'
import { readPairs } from '../deploy/read-pairs.ts'
import { readTarget } from '../env/read-target.ts'
import { usageError } from '../exit.ts'
import { pageOptions, pageQuery } from '../output/paging.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'
import { liveOf } from './production/live-of.ts'
import { stateText } from './state-text.ts'

/** As many projects are asked what they show; a listing that spans more is not about one of them. */
const PROJECTS = 10

export const command = defineCommand({
  doing: 'list the deployments',
  about:
    'Lists deployments of the linked project, or all deployments if the folder is not linked or belongs to another account.',
  arguments: { project: optional('name of the project') },
  options: {
    all: flag('list deployments of all projects, even in a linked folder'),
    state: value('state', READY_STATES.join(', '), oneOf(READY_STATES)),
    target: value('target', 'production, preview, staging or a custom environment', readTarget),
    meta: short(
      'm',
      values('key=value', 'only deployments with this metadata; can be repeated', (text: string) => text),
    ),
    ...pageOptions,
  },
  examples: [
    ['ls', 'the latest deployments'],
    ['ls shop --target production', 'production deployments of a project'],
    ['ls --meta gitBranch=dev', 'deployments of a branch'],
    ['ls --state error --json', 'failed deployments, as JSON'],
  ],
  async run(cli, given) {
    const now = cli.now()
    const { project, state, target } = given
    const isOfLink = project === undefined && !given.all
    const { api, link } = isOfLink ? await linkedAccount(cli) : { api: await folderApi(cli) }
    const meta = readPairs('--meta', given.meta) ?? {}
    const ofLink = link?.projectId
    const environment = await environmentNamed(api, project ?? ofLink, target)
    const page = await api.call(listDeployments, {
      query: {
        ...pageQuery(given),
        ...(project === undefined ? {} : { app: project }),
        ...(ofLink === undefined ? {} : { projectId: ofLink }),
        ...(state === undefined ? {} : { state }),
        ...environment,
        ...Object.fromEntries(Object.entries(meta).map(([key, text]) => [`meta-${key}`, text])),
      },
    })
    const again = [
      'ls',
      project,
      given.all && '--all',
      state && `--state ${state}`,
      target && `--target ${target}`,
      ...given.meta.map((pair) => `--meta ${pair}`),
    ]
    const projects = [...new Set(page.deployments.map(({ projectId }) => projectId))]
    const live = new Set(await Promise.all(projects.slice(0, PROJECTS).map((id) => liveOf(api, id))))
    showList(cli, page, {
      items: page.deployments,
      head: ['PROJECT', 'URL', 'STATUS', 'TARGET', 'AGE', 'ID'],
      row: ({ name, url, uid, created, ...rest }) => [
        name,
        url === null ? '-' : siteAddress(cli.baseUrl, url),
        stateText(rest.state, cli.out.colors),
        `${rest.customEnvironment?.slug ?? rest.target ?? 'preview'}${live.has(uid) ? ' (live)' : ''}`,
        relativeTime(created, now),
        uid,
      ],
      empty: 'No deployments found. Create one: aloft deploy',
      more: [again.filter(Boolean).join(' '), page.pagination.next],
    })
  },
})

/** What a list is asked for by. One's own environments are those of one project, and go before what every one has. */
async function environmentNamed(
  api: Client,
  project: string | undefined,
  target: string | undefined,
): Promise<{ readonly target?: ListedTarget; readonly customEnvironmentId?: string }> {
  if (target === undefined) return {}
  const known = LISTED_TARGETS.find((name) => name === target)
  if (target !== 'production' && project !== undefined) {
    const { environments } = await api.call(listEnvironments, { params: { idOrName: project } })
    const found = environments.find(({ id, slug }) => id === target || slug === target)
    if (found) return { customEnvironmentId: found.id }
  }
  if (known) return { target: known }
  throw usageError(
    `There is no environment "${target}".`,
    project === undefined
      ? 'Pass the project: aloft ls <project> --target …'
      : 'See `aloft environments ls`.',
  )
}
