import { createApplication } from '#contract/api/application.ts'
import { accountApi } from '../account.ts'
import { defineCommand, value, values } from '../command.ts'
import { usageError } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'
import { readScopes } from './read-scope.ts'

export const command = defineCommand({
  doing: 'register the application',
  about: 'Prints its client id and secret. The secret is shown only once.',
  options: {
    name: value('name', 'name shown to people who install it'),
    slug: value('slug', 'unique slug; derived from the name by default'),
    redirectUri: value('url', 'URL to redirect to after installation'),
    webhookUrl: value('url', 'URL that receives events'),
    scope: values(
      'scope',
      'permission to request, such as project:read or deployment; can be repeated',
      readScopes,
    ),
    note: value('text', 'explanation shown to people who install it'),
  },
  examples: [
    [
      'apps create --name Watcher --redirect-uri https://watcher.example/back --scope deployment:read',
      'with read access to deployments',
    ],
    [
      'apps create --name Setter --redirect-uri https://setter.example/back --scope project:read --scope project-env-vars --json',
      'as JSON',
    ],
  ],
  hints: { conflict: 'Choose another --slug.' },
  async run(cli, { name, slug, redirectUri, webhookUrl, scope, note }) {
    const { out } = cli
    if (name === undefined) throw usageError('--name is missing.')
    if (redirectUri === undefined) throw usageError('--redirect-uri is missing.')
    if (scope.length === 0) throw usageError('--scope is missing.')
    const created = await (await accountApi(cli)).call(createApplication, {
      body: {
        name,
        redirectUrl: redirectUri,
        scopes: Object.assign({}, ...scope),
        ...(slug === undefined ? {} : { slug }),
        ...(webhookUrl === undefined ? {} : { webhookUrl }),
        ...(note === undefined ? {} : { note }),
      },
    })
    if (!out.json)
      out.say(
        `Registered the application "${plainText(name)}" (${created.id}). Its secret is shown only once:`,
      )
    out.show(created, () => `client id      ${created.clientId}\nclient secret  ${created.clientSecret}`)
  },
})
