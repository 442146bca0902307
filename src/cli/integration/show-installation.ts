import type { Static } from 'typebox'
import type { getConfiguration } from '#contract/api/installation.ts'
import { count } from '#contract/words/wording.ts'
import type { Cli } from '../cli.ts'
import { relativeTime } from '../output/relative-time.ts'
import { renderFacts } from '../output/table.ts'

export type Installation = Static<typeof getConfiguration.reply>

export const SEE = { not_found: 'List installed applications with `aloft integrations ls`.' }

export const projectsOf = ({ projectSelection, projects }: Installation): string =>
  projectSelection === 'all' ? 'all' : count(projects.length, 'project')

const requestedOf = ({ scopesQueue = [] }: Installation) =>
  scopesQueue.filter(({ confirmedAt }) => confirmedAt === undefined)

export const stateOf = (one: Installation): string =>
  one.disabledAt !== undefined ? 'disabled' : requestedOf(one).length > 0 ? 'requests more' : 'on'

/** An installed application, with what it may touch and what it asks for besides. */
export function showInstallation(cli: Cli, one: Installation): void {
  const { out } = cli
  const now = cli.now()
  const requested = requestedOf(one)
  out.show(one, () =>
    renderFacts(
      [
        ['id', one.id],
        ['application', `${one.slug} (${one.integrationId})`],
        ['status', one.disabledReason === undefined ? stateOf(one) : `disabled: ${one.disabledReason}`],
        ['owner', one.userId],
        ['projects', one.projectSelection === 'all' ? 'all' : one.projects.join(', ') || 'none'],
        ['permissions', one.scopes.join(', ') || '-'],
        ...requested.map(
          ({ scopes, note }) =>
            [
              'requested',
              `${[...scopes.added, ...scopes.upgraded].join(', ')}${note === null ? '' : `: ${note}`}`,
            ] as const,
        ),
        ['installed', relativeTime(one.createdAt, now)],
        ['updated', relativeTime(one.updatedAt, now)],
      ],
      out.colors,
    ),
  )
}
