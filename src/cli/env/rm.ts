import { asWhere } from '#client/variable-places.ts'
import { listVariables, placesOf, removeVariable, updateVariable } from '#contract/api/env-variable.ts'
import { defineCommand, required, value, zeroOrMore } from '../command.ts'
import { CliError, EXIT } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { environmentNames, findPlaces } from './places.ts'
import { readTarget } from './read-target.ts'
import { placeOf } from './variable.ts'

export const command = defineCommand({
  doing: 'remove the variable',
  about: 'Existing deployments keep it.',
  arguments: {
    name: required('name of the variable'),
    targets: zeroOrMore('environments to remove it from; defaults to all', readTarget),
  },
  options: { ...projectOption, branch: value('branch', 'only the variable of this branch') },
  examples: [
    ['env rm API_KEY', 'ask for confirmation, then remove it everywhere'],
    ['env rm API_KEY production --yes', 'only from production, without confirmation'],
  ],
  async run(cli, { name, targets, project, branch }) {
    const { api, idOrName } = await chooseProject(cli, project)
    const { envs } = await api.call(listVariables, { params: { idOrName } })
    const places = await findPlaces(api, idOrName, targets)
    const found = envs.filter(
      (one) =>
        one.key === name &&
        (branch === undefined || one.gitBranch === branch) &&
        (places.length === 0 || placesOf(one).some((place) => places.includes(place))),
    )
    if (found.length === 0)
      throw new CliError(
        EXIT.notFound,
        `There is no variable "${name}"${targets.length === 0 ? '' : ` in ${targets.join(', ')}`}.`,
        'List the variables with `aloft env ls`.',
      )
    const removed = found.map((variable) => {
      const all = placesOf(variable)
      const target = places.length === 0 ? all : all.filter((place) => places.includes(place))
      return { variable, target, left: all.filter((place) => !target.includes(place)) }
    })
    const names = await environmentNames(api, idOrName, found)
    const where = removed
      .map(({ variable, target }) => placeOf({ ...variable, ...asWhere(target, variable) }, names))
      .join('; ')
    await cli.prompt.confirm(`Remove ${plainText(name)} from ${plainText(where)}?`)
    for (const { variable, left } of removed) {
      const params = { idOrName, id: variable.id }
      if (left.length === 0) await api.call(removeVariable, { params })
      else await api.call(updateVariable, { params, body: asWhere(left, variable) })
    }
    cli.out.show(
      removed.map(({ variable: { id, key }, target, left }) => ({ id, key, target, left })),
      () => `Removed ${plainText(name)} from ${plainText(where)}.`,
    )
  },
})
