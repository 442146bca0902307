import { connectSource } from '#contract/api/git.ts'
import { updateProject } from '#contract/api/project.ts'
import { defineCommand, required, value } from '../command.ts'
import { plainText } from '../plain-text.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'

type HostKind = 'github' | 'gitlab' | 'gitea' | 'bitbucket'

export const command = defineCommand({
  doing: 'connect the repository',
  about:
    'What is pushed to the repository is deployed: its main branch to production, every other one to a preview. Over SSH the command prints the key to add to the repository as a deploy key.',
  team: true,
  arguments: { url: required('address of the repository, https://… or git@host:path') },
  options: {
    ...projectOption,
    token: value('token', 'a token of the host that may read the repository; not over SSH'),
    productionBranch: value('branch', 'branch that goes to production, where it is not main'),
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
