import { createGitApp } from '#contract/api/git-app.ts'
import { createGitConnection, GIT_HOSTS } from '#contract/api/git-connection.ts'
import { accountApi } from '../../account.ts'
import { defineCommand, flag, oneOf, required, value } from '../../command.ts'
import { usageError } from '../../exit.ts'
import { plainText } from '../../output/plain-text.ts'

export const command = defineCommand({
  doing: 'connect the Git host',
  about:
    'Asks for an access token, or reads it from stdin. The token is stored encrypted. Everyone in the account can then deploy from the repositories it can read. Use gitea for Forgejo and Codeberg. With --app, GitHub is connected without a token: open the printed URL in a browser that is signed in to the dashboard.',
  arguments: { kind: required(GIT_HOSTS.join(', '), oneOf(GIT_HOSTS)) },
  options: {
    url: value('url', 'URL of the host, if it is not github.com, gitlab.com or bitbucket.org'),
    app: flag('GitHub: create a GitHub App instead of using a token'),
    organization: value('name', 'with --app: the GitHub organization that the App belongs to'),
    username: value('name', 'Bitbucket: the email address or user name that goes with a personal token'),
  },
  examples: [
    ['git hosts add github', 'ask for the token'],
    ['git hosts add github --app', 'create a GitHub App; no token needed'],
    ['git hosts add gitea --url https://codeberg.org < token.txt', 'read the token from a file'],
    ['git hosts add github --url https://github.example.com', 'GitHub Enterprise'],
  ],
  hints: {
    bad_request: 'docs/git.md lists the permissions a token needs on each host.',
  },
  async run(cli, { kind, url, username, app, organization }) {
    if (app !== (app && kind === 'github') || (organization !== undefined && !app))
      throw usageError('Use --app with github only, and --organization with --app.')
    const api = await accountApi(cli)
    if (app) {
      const begun = await api.call(createGitApp, {
        body: {
          ...(url === undefined ? {} : { url }),
          ...(organization === undefined ? {} : { organization }),
        },
      })
      if (!cli.out.json)
        cli.out.say('Open this URL within an hour, in a browser that is signed in to the dashboard as you:')
      cli.out.show(begun, () => begun.startUrl)
      return
    }
    const token = await cli.prompt.secret('Access token:', `aloft git hosts add ${kind} < file`)
    const made = await api.call(createGitConnection, {
      body: {
        kind,
        token: token.trim(),
        ...(url === undefined ? {} : { url }),
        ...(username === undefined ? {} : { username }),
      },
    })
    if (!cli.out.json)
      cli.out.say(
        `Connected ${new URL(made.url).host} as ${plainText(made.login)}. List its repositories with \`aloft git repos\`.`,
      )
    cli.out.show(made, () => made.id)
  },
})
