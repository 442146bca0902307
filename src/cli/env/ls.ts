import { listVariables, placesOf } from '#contract/api/env-variable.ts'
import { defineCommand, flag, zeroOrMore } from '../command.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { environmentNames, findPlaces } from './places.ts'
import { readTarget } from './read-target.ts'
import { placeOf, type Variable } from './variable.ts'

const shownValue = ({ type, value }: Variable): string => {
  if (type === 'sensitive') return '(never shown)'
  if (type === 'secret') return `(secret ${value})`
  return type === 'system' ? `(system ${value})` : value
}

export const command = defineCommand({
  doing: 'list the variables',
  about: 'Values are only shown with --reveal. Sensitive values are never shown.',
  arguments: {
    targets: zeroOrMore('production, preview, development or a custom environment', readTarget),
  },
  options: { ...projectOption, reveal: flag('show the values') },
  examples: [
    ['env ls', 'the variables of the linked project'],
    ['env ls production --project shop', 'variables of production'],
    ['env ls --reveal --json', 'with their values, as JSON'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, { targets, project, reveal }) {
    const now = cli.now()
    const { api, idOrName } = await chooseProject(cli, project)
    const found = await api.call(listVariables, {
      params: { idOrName },
      ...(reveal ? { query: { decrypt: true } } : {}),
    })
    const places = await findPlaces(api, idOrName, targets)
    const envs = found.envs.filter(
      (one) => places.length === 0 || placesOf(one).some((name) => places.includes(name)),
    )
    const names = await environmentNames(api, idOrName, envs)
    showList(
      cli,
      { envs: reveal ? envs : envs.map(({ value: _value, ...rest }) => rest) },
      {
        items: envs,
        head: ['NAME', ...(reveal ? ['VALUE'] : []), 'WHERE', 'TYPE', 'UPDATED'],
        row: (variable) => [
          variable.key,
          ...(reveal ? [shownValue(variable)] : []),
          placeOf(variable, names),
          variable.type,
          relativeTime(variable.updatedAt, now),
        ],
        empty: 'No variables found. Set one: aloft env add <name>',
      },
    )
  },
})
