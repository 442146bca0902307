import { updateApplication } from '#contract/api/application.ts'
import { accountApi } from '../account.ts'
import { given as changes, defineCommand, orNull, required, value, values } from '../command.ts'
import { usageError } from '../exit.ts'
import { plainText } from '../plain-text.ts'
import { readScopes } from './read-scope.ts'

const NONE = 'none'

export const command = defineCommand({
  doing: 'change the application',
  about:
    'What is not named stays. Those who have it installed are asked to agree before it may do more than now.',
  team: true,
  arguments: { id: required('id of the application') },
  options: {
    name: value('name', 'what people are told who asks'),
    slug: value('slug', 'unique'),
    redirectUri: value('url', 'where people are sent back to'),
    webhookUrl: value('url', `where events are sent, or ${NONE}`, orNull(NONE)),
    scope: values(
      'scope',
      'what it asks for, instead of what it asked for before; can be repeated',
      readScopes,
    ),
    note: value('text', `why it asks, or ${NONE}`, orNull(NONE)),
  },
  examples: [
    ['apps set oac_3f9a1c0b7d2e --redirect-uri https://watcher.example/back-2', 'another address'],
    ['apps set oac_3f9a1c0b7d2e --scope deployment --scope project:read', 'ask for other scopes'],
  ],
  hints: {
    conflict: 'Choose another --slug.',
    not_found: 'See your applications with `aloft apps ls`.',
  },
  async run(cli, { id, name, slug, redirectUri, webhookUrl, scope, note }) {
    const { out } = cli
    const body = changes({
      name,
      slug,
      redirectUrl: redirectUri,
      webhookUrl,
      scopes: scope.length === 0 ? undefined : (Object.assign({}, ...scope) as ReturnType<typeof readScopes>),
      note,
    })
    if (Object.keys(body).length === 0) throw usageError('Nothing to change was named.')
    const changed = await (await accountApi(cli)).call(updateApplication, { params: { id }, body })
    out.show(changed, () => `Changed the application "${plainText(changed.name)}".`)
  },
})
