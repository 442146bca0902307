import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from '#client/client.ts'
import { connectSource, getSource } from '#contract/api/git.ts'
import { listGitConnections } from '#contract/api/git-connection.ts'
import { updateProject } from '#contract/api/project.ts'
import type { ReplyOf } from '#contract/endpoint.ts'
import { defineCommand, required, value } from '../command.ts'
import { plainText } from '../plain-text.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { findConnection } from './hosts/find-connection.ts'

/** A name at a host rather than an address. */
const NAME = /^[\w.~-]+(?:\/[\w.~-]+)+$/

type Source = ReplyOf<(typeof getSource)['reply']>

const PATIENCE_MS = 10_000
const STEP_MS = 500

/** The host makes its first delivery within seconds. */
async function webhookTried(api: Client, idOrName: string, made: Source): Promise<Source> {
  let source = made
  for (let waited = 0; source.webhook?.state === 'waiting' && waited < PATIENCE_MS; waited += STEP_MS) {
    await wait(STEP_MS)
    source = await api.call(getSource, { params: { idOrName } })
  }
  return source
}

function wordsOf({ webhook, webhookUrl }: Source, name: string, host: string): string {
  const connected = `Connected ${name} at ${host}. It is being read; see what comes of it with \`aloft git deliveries\`.`
  const byHand = `Until then, the repository is asked every five minutes. To enter the webhook by hand, use this address (it is a secret):\n${webhookUrl ?? ''}`
  switch (webhook?.state) {
    case 'working':
      return `${connected}\nThe webhook works: ${host} has called.`
    case 'untested':
      return `${connected}\nThe webhook is created. ${host} has no way to test it; the first push will show.`
    case 'waiting':
      return `${connected}\nThe webhook is created, but ${host} has not called yet. It may be unable to reach this installation. ${byHand}`
    default:
      return `${connected}\nThe webhook could not be created: ${plainText(webhook?.problem ?? 'unknown')}\n${byHand}`
  }
}

type HostKind = 'github' | 'gitlab' | 'gitea' | 'bitbucket'

export const command = defineCommand({
  doing: 'connect the repository',
  about:
    'Deploys pushes to the repository: the main branch to production, other branches to previews. With a connected Git host (`aloft git hosts add`), give its name there, and the webhook is created for you. For SSH URLs, prints the deploy key to add to the repository.',
  team: true,
  arguments: { url: required('owner/name at a connected Git host, or a URL: https://… or git@host:path') },
  options: {
    ...projectOption,
    token: value('token', 'access token that can read the repository; not for SSH'),
    productionBranch: value('branch', 'production branch, if it is not main'),
    host: value(
      'kind',
      'which API its host speaks, where the name does not tell: github, gitlab, gitea or bitbucket',
    ),
    via: value('id or host', 'which connected Git host, if there are several'),
    username: value('name', 'the user name that goes with the token, where the host asks for one'),
  },
  examples: [
    ['git connect me/site', 'a repository of the connected Git host'],
    ['git connect https://github.com/me/site.git --token github_pat_…', 'a private repository'],
    ['git connect https://github.com/me/site.git --production-branch trunk', 'trunk goes live'],
    ['git connect git@git.example.com:me/site.git --project shop', 'over SSH, with a key of its own'],
  ],
  async run(cli, { url, project, token, username, productionBranch, host, via }) {
    const { out } = cli
    const { api, idOrName } = await chooseProject(cli, project)
    const through = NAME.test(url)
      ? findConnection((await api.call(listGitConnections)).connections, via)
      : undefined
    const body = {
      ...(through ? { connectionId: through.id, repository: url } : { url }),
      ...(token === undefined ? {} : { token }),
      ...(username === undefined ? {} : { username }),
      // The API says which there are.
      ...(host === undefined ? {} : { host: host as HostKind }),
    }
    // Before anything is read, so that the first deployment is of the right branch.
    if (productionBranch !== undefined)
      await api.call(updateProject, { params: { idOrName }, body: { productionBranch } })
    const made = await api.call(connectSource, { params: { idOrName }, body })
    const source = await webhookTried(api, idOrName, made)
    if (through && source.webhook) {
      const { hostname } = new URL(through.url)
      out.show(source, () => wordsOf(source, plainText(url), hostname))
      return
    }
    out.show(source, () =>
      [
        `Connected ${plainText(source.url ?? '')}. It is being read; see what comes of it with \`aloft git deliveries\`.`,
        ...(source.publicKey === null
          ? []
          : ['', 'Add this deploy key to the repository:', source.publicKey]),
        '',
        'Have the host call this address after each push (it is a secret); without that, the repository is asked every five minutes:',
        source.webhookUrl ?? '',
        ...(source.webhookSecret === undefined
          ? []
          : [
              '',
              'Where the host asks for a secret to sign its calls with, give this one. It is not shown again:',
              source.webhookSecret,
            ]),
      ].join('\n'),
    )
  },
})
