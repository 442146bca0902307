import { siteAddress } from '#client/site-address.ts'
import { listDeployments, READY_STATES, TARGETS } from '#contract/api/deployment.ts'
import { defineCommand, flag, oneOf, optional, short, value, values } from '../command.ts'
import { readPairs } from '../deploy/read-pairs.ts'
import { pageOptions, pageQuery } from '../paging.ts'
import { relativeTime } from '../relative-time.ts'
import { showList } from '../show-list.ts'
import { folderApi } from './folder-api.ts'
import { liveOf } from './live-of.ts'
import { stateText } from './state-text.ts'

/** As many projects are asked what they show; a listing that spans more is not about one of them. */
const PROJECTS = 10

export const command = defineCommand({
  doing: 'list the deployments',
  about: 'Those of the linked project where the folder is linked to one; otherwise all.',
  team: true,
  arguments: { project: optional('name of the project') },
  options: {
    all: flag('of all projects, although the folder is linked to one'),
    state: value('state', READY_STATES.join(', '), oneOf(READY_STATES)),
    target: value('target', TARGETS.join(' or '), oneOf(TARGETS)),
    meta: short(
      'm',
      values('key=value', 'those with this note; can be repeated', (text: string) => text),
    ),
    ...pageOptions,
  },
  examples: [
    ['ls', 'the newest deployments'],
    ['ls shop --target production', 'those of a project that went to production'],
    ['ls --meta gitBranch=dev', 'those of a branch'],
    ['ls --state error --json', 'those that failed, for a program to read'],
  ],
  async run(cli, given) {
    const now = cli.now()
    const { api, link } = await folderApi(cli)
    const { project, state, target } = given
    const meta = readPairs('--meta', given.meta) ?? {}
    const ofLink = project === undefined && !given.all ? link?.projectId : undefined
    const page = await api.call(listDeployments, {
      query: {
        ...pageQuery(given),
        ...(project === undefined ? {} : { app: project }),
        ...(ofLink === undefined ? {} : { projectId: ofLink }),
        ...(state === undefined ? {} : { state }),
        ...(target === undefined ? {} : { target }),
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
      head: ['PROJECT', 'ADDRESS', 'STATE', 'TARGET', 'AGE', 'ID'],
      row: ({ name, url, uid, created, ...rest }) => [
        name,
        url === null ? '-' : siteAddress(cli.baseUrl, url),
        stateText(rest.state, cli.out.colors),
        live.has(uid) ? `${rest.target ?? 'preview'} (live)` : (rest.target ?? 'preview'),
        relativeTime(created, now),
        uid,
      ],
      empty: 'No deployments here. Make one: aloft deploy',
      more: [again.filter(Boolean).join(' '), page.pagination.next],
    })
  },
})
