import { siteAddress } from '#client/site-address.ts'
import { getProject } from '#contract/api/project.ts'
import { defineCommand, optional } from '../command.ts'
import { relativeTime } from '../output/relative-time.ts'
import { renderFacts } from '../output/table.ts'
import { withoutBypass } from './bypass/without-bypass.ts'
import { chooseProject } from './choose-project.ts'

export const command = defineCommand({
  doing: 'inspect the project',
  arguments: { project: optional('project id or name; defaults to the linked project') },
  examples: [
    ['projects inspect', 'the linked project'],
    ['projects inspect shop', 'by its name'],
    ['projects inspect shop --json', 'all its settings'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, { project }) {
    const { out } = cli
    const now = cli.now()
    const { api, idOrName } = await chooseProject(cli, project)
    const found = withoutBypass(await api.call(getProject, { params: { idOrName } }))
    const { production } = found.targets
    const [latest] = found.latestDeployments
    const address = (host: string | null | undefined) => (host ? siteAddress(cli.baseUrl, host) : '-')
    const guards = [
      found.passwordProtection && 'password',
      found.ssoProtection && 'sign-in',
      found.trustedIps && 'trusted IP addresses',
    ].filter(Boolean)
    out.show(found, () =>
      renderFacts(
        [
          ['name', found.name],
          ['id', found.id],
          ['status', found.paused ? 'paused' : found.live ? 'live' : 'not deployed to production'],
          ['production', address(production?.url)],
          ...(found.lastRollbackTarget === null
            ? []
            : [['held', 'since the rollback; undo it with `aloft rollback --undo`'] as const]),
          ['aliases', production?.alias.map(address).join(', ') || '-'],
          ['latest', latest === undefined ? '-' : `${address(latest.url)} (${latest.readyState})`],
          ['framework', found.framework ?? 'detected on each build'],
          ['build', found.buildCommand ?? 'from the framework'],
          ['output', found.outputDirectory ?? 'from the framework'],
          ['root', found.rootDirectory ?? '.'],
          ['node', found.nodeVersion],
          ['protection', guards.join(', ') || 'none'],
          ['created', relativeTime(found.createdAt, now)],
          ['updated', relativeTime(found.updatedAt, now)],
        ],
        out.colors,
      ),
    )
  },
})
