import { asWhere, makeRoom } from '#client/variable-places.ts'
import { createVariables, ENV_TARGETS, type EnvType } from '#contract/api/env-variable.ts'
import { defineCommand, flag, required, value, zeroOrMore } from '../command.ts'
import { usageError } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { environmentNames, findPlaces } from './places.ts'
import { readTarget } from './read-target.ts'
import { placeOf } from './variable.ts'

export const command = defineCommand({
  doing: 'set the variable',
  about: 'The value is read from stdin or a hidden prompt. Applies to new deployments.',
  arguments: {
    name: required('name of the variable: letters, digits and _'),
    targets: zeroOrMore(
      'production, preview, development or custom environments; defaults to the first three',
      readTarget,
    ),
  },
  options: {
    ...projectOption,
    sensitive: flag('make the value unreadable; not for development'),
    plain: flag('store the value as plain text; not for secrets'),
    secret: value('name', 'use the value of this secret'),
    branch: value('branch', 'only for previews of this branch'),
    comment: value('text', 'what it is for'),
    force: flag('overwrite an existing value; other environments keep theirs'),
  },
  examples: [
    ['env add DATABASE_URL production', 'prompt for the value'],
    ['env add API_KEY --sensitive < key.txt', 'from a file'],
    ['env add API_URL staging', 'for a custom environment'],
    ['env add DB_PASSWORD --secret db-password --project shop', 'from a secret of the account'],
    ['env add API_URL preview --branch dev --force', 'overwrite the value for one branch'],
  ],
  hints: {
    ENV_ALREADY_EXISTS: 'Change it with --force, or remove it first with `aloft env rm`.',
    env_secret_missing: 'See your secrets with `aloft secrets ls`.',
    not_found: 'List your projects with `aloft projects ls`.',
  },
  async run(cli, given) {
    const { name, branch, comment, force, secret } = given
    const type = readType(given)
    const target = targetsFor(given.targets, type, branch)
    const { api, idOrName } = await chooseProject(cli, given.project)
    const text =
      secret === undefined
        ? await cli.prompt.secret(`Value of ${plainText(name)}:`, `aloft env add ${name} < file`)
        : `@${secret.replace(/^@/, '')}`
    const places = await findPlaces(api, idOrName, target)
    if (force) await makeRoom(api, idOrName, { keys: [name], places, branch })
    const { created } = await api.call(createVariables, {
      params: { idOrName },
      ...(force ? { query: { upsert: true } } : {}),
      body: {
        key: name,
        value: text,
        type,
        ...asWhere(places),
        ...(branch === undefined ? {} : { gitBranch: branch }),
        ...(comment === undefined ? {} : { comment }),
      },
    })
    const [variable] = [created].flat()
    if (!variable) throw new Error('The response contains no variable.')
    const { value: _value, ...rest } = variable
    const names = await environmentNames(api, idOrName, [variable])
    cli.out.show(rest, () => `Set ${plainText(variable.key)} in ${plainText(placeOf(variable, names))}.`)
  },
})

function readType(given: {
  readonly sensitive: boolean
  readonly plain: boolean
  readonly secret: string | undefined
}): EnvType {
  const { sensitive, plain, secret } = given
  if (Number(sensitive) + Number(plain) + Number(secret !== undefined) > 1)
    throw usageError('--sensitive, --plain and --secret cannot be used together.')
  if (sensitive) return 'sensitive'
  if (plain) return 'plain'
  return secret === undefined ? 'encrypted' : 'secret'
}

/** What is not said: a branch has previews, and nobody develops with values that cannot be read. */
function targetsFor(named: readonly string[], type: EnvType, branch: string | undefined): readonly string[] {
  if (named.length > 0) return named
  if (branch !== undefined) return ['preview']
  return type === 'sensitive' ? ['production', 'preview'] : ENV_TARGETS
}
