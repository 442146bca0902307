import { lstatSync } from 'node:fs'
import { resolve } from 'node:path'
import { isReadable, listVariables, placesOf } from '#contract/api/env-variable.ts'
import { count } from '#contract/words/wording.ts'
import { defineCommand, optional, value } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { envLine, writePrivateFile } from './env-file.ts'
import { findPlaces } from './places.ts'
import { readTarget } from './read-target.ts'
import type { Variable } from './variable.ts'

export const command = defineCommand({
  doing: 'pull the variables',
  about:
    'Only you can read the file. Sensitive variables, secrets and variables set by the platform are skipped.',
  arguments: { file: optional('file to write; defaults to .env.local') },
  options: {
    ...projectOption,
    target: value(
      'target',
      'production, preview, development or a custom environment; defaults to development',
      readTarget,
    ),
    branch: value('branch', 'include variables for previews of this branch'),
  },
  examples: [
    ['env pull', 'the development variables of the linked project, into .env.local'],
    ['env pull .env.production --target production --yes', 'another file, replaced without asking'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, { file = '.env.local', project, target, branch }) {
    const { out } = cli
    const where = target ?? (branch === undefined ? 'development' : 'preview')
    const path = resolve(cli.cwd, file)
    const { api, idOrName } = await chooseProject(cli, project)
    if (lstatSync(path, { throwIfNoEntry: false })) await cli.prompt.confirm(`Replace ${plainText(file)}?`)
    const { envs } = await api.call(listVariables, { params: { idOrName }, query: { decrypt: true } })
    const lines: string[] = []
    const written: string[] = []
    const leftOut: string[] = []
    const [place = where] = await findPlaces(api, idOrName, [where])
    for (const variable of variablesFor(envs, place, branch)) {
      const line = isReadable(variable) ? envLine(variable.key, variable.value) : undefined
      if (line !== undefined) lines.push(line)
      ;(line === undefined ? leftOut : written).push(variable.key)
    }
    writePrivateFile(
      path,
      `# ${where} variables, written by aloft env pull\n${lines.map((line) => `${line}\n`).join('')}`,
    )
    if (leftOut.length > 0 && !out.json) out.say(`Skipped: ${plainText(leftOut.join(', '))}.`)
    out.show(
      { file: path, target: where, written, leftOut },
      () => `Wrote ${count(written.length, `${where} variable`)} to ${plainText(file)}.`,
    )
  },
})

/** What is set there, by name: what is set for the branch comes before what is set for all. */
function variablesFor(
  envs: readonly Variable[],
  where: string,
  branch: string | undefined,
): readonly Variable[] {
  const suitable = envs.filter(
    (one) => placesOf(one).includes(where) && (one.gitBranch === undefined || one.gitBranch === branch),
  )
  const ordered = suitable.toSorted(
    (a, b) => Number(a.gitBranch !== undefined) - Number(b.gitBranch !== undefined),
  )
  const byName = new Map(ordered.map((variable) => [variable.key, variable]))
  return [...byName.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1))
}
