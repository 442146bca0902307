import { resolve } from 'node:path'
import type { Static } from 'typebox'
import { asWhere, inTheWay, makeRoom } from '#client/variable-places.ts'
import { createVariables, listVariables } from '#contract/api/env-variable.ts'
import { count } from '#contract/words/wording.ts'
import { defineCommand, flag, required, zeroOrMore } from '../command.ts'
import { CliError, EXIT, usageError } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { readEnvFile } from './env-file.ts'
import { findPlaces } from './places.ts'
import { readTarget } from './read-target.ts'

/** As many as one request may carry. */
const BATCH = 100

export const command = defineCommand({
  doing: 'push the variables',
  about: 'Overwrites existing variables after confirmation. Variables not in the file are kept.',
  arguments: {
    file: required('a .env file'),
    targets: zeroOrMore(
      'production, preview, development or custom environments; defaults to development',
      readTarget,
    ),
  },
  options: { ...projectOption, sensitive: flag('make the values unreadable; not for development') },
  examples: [
    ['env push .env.local', 'for development'],
    ['env push .env.production production preview --yes', 'without confirmation'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, { file, targets, project, sensitive }) {
    const { out } = cli
    const { entries, problems } = readEnvFile(resolve(cli.cwd, file))
    const skipped = problems.map(({ line, why }) => `Skipped line ${line}: ${plainText(why)}`)
    if (entries.length === 0) throw usageError([`${file} sets no variables.`, ...skipped].join(' '))
    if (!out.json) for (const line of skipped) out.say(line)
    const target = targets.length === 0 ? ['development'] : [...targets]
    const { api, idOrName } = await chooseProject(cli, project)
    const places = await findPlaces(api, idOrName, target)
    const { envs } = await api.call(listVariables, { params: { idOrName } })
    const place = { keys: entries.map(({ key }) => key), places, branch: undefined }
    const changed = [...new Set(inTheWay(envs, place).map(({ key }) => key))]
    if (changed.length > 0)
      await cli.prompt.confirm(
        `${plainText(changed.join(', '))}: already set in ${target.join(', ')}. Change ${changed.length === 1 ? 'it' : 'them'}?`,
      )
    await makeRoom(api, idOrName, place)
    const failed: Static<typeof createVariables.reply>['failed'] = []
    for (let from = 0; from < entries.length; from += BATCH) {
      const reply = await api.call(createVariables, {
        params: { idOrName },
        query: { upsert: true },
        body: entries.slice(from, from + BATCH).map(({ key, value }) => ({
          key,
          value,
          type: sensitive ? ('sensitive' as const) : ('encrypted' as const),
          ...asWhere(places),
        })),
      })
      failed.push(...reply.failed)
    }
    const [first] = failed
    if (first)
      throw new CliError(
        EXIT.failure,
        `${failed.length} of ${count(entries.length, 'variable')} couldn’t be set: ${String(first.error.message)}`,
        'The others were set. List them with `aloft env ls`.',
      )
    out.show(
      { target, set: place.keys, changed },
      () => `Set ${count(entries.length, 'variable')} in ${target.join(', ')}.`,
    )
  },
})
