import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from '#client/client.ts'
import { connectSource, getSource } from '#contract/api/git.ts'
import { listGitConnections } from '#contract/api/git-connection.ts'
import { updateProject } from '#contract/api/project.ts'
import type { ReplyOf } from '#contract/endpoint.ts'
import { defineCommand, required, value } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { findConnection } from './hosts/find-connection.ts'

/** A name at a host rather than an address. */
const NAME = /^[\w.~-]+(?:\/[\w.~-]+)+$/

type Source = ReplyOf<(typeof getSource)['reply']>

const LONGEST_MS = 10_000
const STEP_MS = 500

/** The host makes its first delivery within seconds. */
async function webhookTried(api: Client, idOrName: string, made: Source): Promise<Source> {
  let source = made
  for (let waited = 0; source.webhook?.state === 'waiting' && waited < LONGEST_MS; waited += STEP_MS) {
    await wait(STEP_MS)
    source = await api.call(getSource, { params: { idOrName } })
  }
  return source
}

function wordsOf({ webhook, webhookUrl }: Source, name: string, host: string): string {
  const connected = `Connected ${name} at ${host}. The first deployment starts now; follow it with \`aloft git deliveries\`.`
  const byHand = `Until then, the repository is checked every five minutes. To add the webhook by hand, use this URL and keep it secret:\n${webhookUrl ?? ''}`
  switch (webhook?.state) {
    case 'working':
      return `${connected}\nThe webhook works: ${host} has called it.`
    case 'untested':
      return `${connected}\nThe webhook was created. ${host} cannot test it; the first push will show whether it works.`
    case 'waiting':
      return `${connected}\nThe webhook was created, but ${host} has not called it yet. It may be unable to reach this installation. ${byHand}`
    default:
      return `${connected}\nThe webhook could not be created: ${plainText(webhook?.problem ?? 'unknown')}\n${byHand}`
  }
}

type HostKind = 'github' | 'gitlab' | 'gitea' | 'bitbucket'

export const command = defineCommand({
  doing: 'connect the repository',
  about:
    'Deploys pushes to the repository: the main branch to production, other branches to previews. With a connected Git host (`aloft git hosts add`), give its name there, and the webhook is created for you. For SSH URLs, prints the deploy key to add to the repository.',
  arguments: { url: required('owner/name at a connected Git host, or a URL: https://… or git@host:path') },
  options: {
    ...projectOption,
    token: value('token', 'access token that can read the repository; not for SSH'),
    productionBranch: value('branch', 'production branch, if it is not main'),
    host: value('kind', 'type of the host, if its name does not tell: github, gitlab, gitea or bitbucket'),
    via: value('id or host', 'which connected Git host, if there are several'),
    username: value('name', 'user name that goes with the token, if the host needs one'),
  },
  examples: [
    ['git connect me/site', 'a repository of the connected Git host'],
    ['git connect https://github.com/me/site.git --token github_pat_…', 'a private repository'],
    ['git connect https://github.com/me/site.git --production-branch trunk', 'trunk goes live'],
    ['git connect git@git.example.com:me/site.git --project shop', 'over SSH, with a deploy key'],
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
        `Connected ${plainText(source.url ?? '')}. The first deployment starts now; follow it with \`aloft git deliveries\`.`,
        ...(source.publicKey === null
          ? []
          : ['', 'Add this deploy key to the repository:', source.publicKey]),
        '',
        'Add this URL as a webhook for pushes, and keep it secret. Without it, the repository is checked every five minutes:',
        source.webhookUrl ?? '',
        ...(source.webhookSecret === undefined
          ? []
          : [
              '',
              'Signing secret of the webhook, if the host asks for one. It is shown only once:',
              source.webhookSecret,
            ]),
      ].join('\n'),
    )
  },
})
