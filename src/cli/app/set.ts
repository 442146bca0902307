import { updateApplication } from '#contract/api/application.ts'
import { accountApi } from '../account.ts'
import { given as changes, defineCommand, orNull, required, value, values } from '../command.ts'
import { usageError } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'
import { readScopes } from './read-scope.ts'

const NONE = 'none'

export const command = defineCommand({
  doing: 'change the application',
  about:
    'Settings you do not pass stay unchanged. Accounts that installed it must approve additional scopes before they apply.',
  arguments: { id: required('id of the application') },
  options: {
    name: value('name', 'name shown to people who install it'),
    slug: value('slug', 'unique'),
    redirectUri: value('url', 'URL to redirect to after installation'),
    webhookUrl: value('url', `URL that receives events, or ${NONE}`, orNull(NONE)),
    scope: values('scope', 'scope to request, replacing the current scopes; can be repeated', readScopes),
    note: value('text', `explanation shown to people who install it, or ${NONE}`, orNull(NONE)),
  },
  examples: [
    ['apps set oac_3f9a1c0b7d2e --redirect-uri https://watcher.example/back-2', 'change the redirect URL'],
    ['apps set oac_3f9a1c0b7d2e --scope deployment --scope project:read', 'replace the requested scopes'],
  ],
  hints: {
    conflict: 'Choose another --slug.',
    not_found: 'List your applications with `aloft apps ls`.',
  },
  async run(cli, { id, name, slug, redirectUri, webhookUrl, scope, note }) {
    const body = changes({
      name,
      slug,
      redirectUrl: redirectUri,
      webhookUrl,
      scopes: scope.length === 0 ? undefined : (Object.assign({}, ...scope) as ReturnType<typeof readScopes>),
      note,
    })
    if (Object.keys(body).length === 0) throw usageError('Nothing to change: pass at least one option.')
    const changed = await (await accountApi(cli)).call(updateApplication, { params: { id }, body })
    cli.out.show(changed, () => `Changed the application "${plainText(changed.name)}".`)
  },
})
