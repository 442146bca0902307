import { connectSource } from '#contract/api/git.ts'
import { updateProject } from '#contract/api/project.ts'
import { defineCommand, required, value } from '../command.ts'
import { plainText } from '../plain-text.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'

type HostKind = 'github' | 'gitlab' | 'gitea' | 'bitbucket'

export const command = defineCommand({
  doing: 'connect the repository',
  about:
    'Deploys pushes to the repository: the main branch to production, other branches to previews. For SSH URLs, prints the deploy key to add to the repository.',
  team: true,
  arguments: { url: required('URL of the repository, https://… or git@host:path') },
  options: {
    ...projectOption,
    token: value('token', 'access token that can read the repository; not for SSH'),
    productionBranch: value('branch', 'production branch, if it is not main'),
    host: value(
      'kind',
      'which API its host speaks, where the name does not tell: github, gitlab, gitea or bitbucket',
    ),
    username: value('name', 'the user name that goes with the token, where the host asks for one'),
  },
  examples: [
    ['git connect https://github.com/me/site.git --token github_pat_…', 'a private repository'],
    ['git connect https://github.com/me/site.git --production-branch trunk', 'trunk goes live'],
    ['git connect git@git.example.com:me/site.git --project shop', 'over SSH, with a key of its own'],
  ],
  async run(cli, { url, project, token, username, productionBranch, host }) {
    const { out } = cli
    const { api, idOrName } = await chooseProject(cli, project)
    const body = {
      url,
      ...(token === undefined ? {} : { token }),
      ...(username === undefined ? {} : { username }),
      // The API says which there are.
      ...(host === undefined ? {} : { host: host as HostKind }),
    }
    // Before anything is read, so that the first deployment is of the right branch.
    if (productionBranch !== undefined)
      await api.call(updateProject, { params: { idOrName }, body: { productionBranch } })
    const source = await api.call(connectSource, { params: { idOrName }, body })
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
