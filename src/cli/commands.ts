import type { Command, Examples } from './command.ts'

export interface Entry {
  /** The words that name it. */
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<{ readonly command: Command }>
}

/** Words that only lead to commands. */
export const GROUPS: Readonly<Record<string, { readonly summary: string; readonly examples: Examples }>> = {
  sessions: {
    summary: 'Browsers in which you are signed in',
    examples: [
      ['sessions ls', 'where you are signed in'],
      ['sessions rm --all', 'sign out everywhere'],
    ],
  },
  files: {
    summary: 'What was uploaded for a deployment',
    examples: [
      ['files ls', 'the files of what is live'],
      ['files get index.html', 'one of them'],
    ],
  },
  tokens: {
    summary: 'Make and revoke API tokens',
    examples: [
      ['tokens create ci', 'a token that does not lapse'],
      ['tokens ls', 'your tokens, with their ids'],
    ],
  },
  teams: {
    summary: 'Teams and their members',
    examples: [
      ['teams create acme --name "Acme Inc."', 'a team'],
      ['teams members ls --team acme', 'who is in it'],
      ['teams switch acme', 'act for it from now on'],
    ],
  },
  'teams members': {
    summary: 'Who belongs to a team, and as what',
    examples: [
      ['teams members add jo@example.com --team acme', 'add somebody'],
      ['teams members role jo@example.com owner --team acme', 'make them an owner'],
    ],
  },
  projects: {
    summary: 'Projects: what belongs to one site',
    examples: [
      ['projects ls', 'your projects'],
      ['projects inspect shop', 'one of them'],
      ['projects set shop --build-command "npm run site"', 'change how it is built'],
    ],
  },
  'projects bypass': {
    summary: 'Secrets with which programs pass the protection of a project',
    examples: [['projects bypass add shop', 'print a new one']],
  },
  env: {
    summary: 'Environment variables of a project',
    examples: [
      ['env add DATABASE_URL production', 'ask for the value, then set it'],
      ['env pull', 'the development variables, into .env.local'],
    ],
  },
  secrets: {
    summary: 'Values that variables can refer to',
    examples: [['secrets add db-password', 'ask for the value, then store it']],
  },
  alias: {
    summary: 'Hosts that show a deployment',
    examples: [['alias set shop-a1b2c3 shop.example.com', 'point a host to a deployment']],
  },
  domains: {
    summary: 'Domains of your own',
    examples: [
      ['domains add example.com', 'add one, and see how to verify it'],
      ['domains attach example.com shop', 'show a project there'],
      ['domains inspect example.com', 'what DNS says of it, and what to do next'],
    ],
  },
  dns: {
    summary: 'DNS records of your domains',
    examples: [
      ['dns ls example.com', 'its records'],
      ['dns add example.com www A 192.0.2.1', 'another one'],
    ],
  },
  certs: {
    summary: 'Certificates',
    examples: [['certs issue example.com www.example.com', 'one for both names']],
  },
  webhooks: {
    summary: 'Addresses that are told of events',
    examples: [
      ['webhooks add https://example.com/hook deployment.ready', 'tell of deployments'],
      ['webhooks deliveries hook_4kTbb1xPBoTqRCUt', 'what was sent, and the answers'],
    ],
  },
  drains: {
    summary: 'Addresses that log entries are sent to',
    examples: [['drains add https://logs.example.com/in', 'send all entries there']],
  },
  apps: {
    summary: 'Applications that accounts can install',
    examples: [
      [
        'apps create --name Watcher --redirect-uri https://watcher.example/back --scope deployment:read',
        'register one',
      ],
      ['apps ls', 'what you have registered'],
    ],
  },
  integrations: {
    summary: 'Applications that are installed in the account',
    examples: [
      ['integrations ls', 'what is installed'],
      ['integrations rm icfg_3f9a1c0b7d2e', 'remove one, with its tokens'],
    ],
  },
  audit: {
    summary: 'Who changed what in the account',
    examples: [
      ['audit ls', 'the newest changes'],
      ['audit ls --action DELETE', 'what was deleted'],
    ],
  },
  operator: {
    summary: 'Run this installation (operators only)',
    examples: [
      ['operator doctor', 'whether everything is as it should be'],
      ['operator backup', 'everything, in one file'],
      ['operator accounts set acme --plan pro', 'change a plan'],
    ],
  },
  'operator quotas': {
    summary: 'What accounts may use, by plan',
    examples: [
      ['operator quotas ls', 'all plans'],
      ['operator quotas set free contentBytes=2GB', 'change one'],
    ],
  },
  'operator accounts': {
    summary: 'Plans and blocks of accounts',
    examples: [
      ['operator accounts get jo@example.com', 'by e-mail address, id or slug'],
      ['operator accounts set acme --block', 'from now on reads work and writes do not'],
    ],
  },
  'operator jobs': {
    summary: 'The jobs of this installation: recurring and failed ones',
    examples: [
      ['operator jobs run logins.clean-up', 'do not wait for its time'],
      ['operator jobs failed', 'what went wrong'],
    ],
  },
}

/** What is meant where no command is named. */
export const BARE = 'deploy'

/** Every command. Only the one that is asked for is loaded: the rest costs a line of help. */
export const COMMANDS: readonly Entry[] = [
  { name: 'deploy', summary: 'Put a folder online', load: () => import('./deploy/deploy.ts') },
  { name: 'dev', summary: 'Serve a folder on this machine', load: () => import('./dev/dev.ts') },
  { name: 'ls', summary: 'List deployments', load: () => import('./deployment/ls.ts') },
  { name: 'inspect', summary: 'Show a deployment', load: () => import('./deployment/inspect.ts') },
  {
    name: 'logs',
    summary: 'Read or follow the log of a deployment',
    load: () => import('./deployment/logs.ts'),
  },
  { name: 'open', summary: 'Show a site, and open it', load: () => import('./deployment/open.ts') },
  {
    name: 'promote',
    summary: 'Show a deployment in production',
    load: () => import('./deployment/promote.ts'),
  },
  {
    name: 'rollback',
    summary: 'Show an earlier deployment in production',
    load: () => import('./deployment/rollback.ts'),
  },
  {
    name: 'pause',
    summary: 'Pause the production of a project',
    load: () => import('./deployment/pause.ts'),
  },
  { name: 'unpause', summary: 'Let a paused project go on', load: () => import('./deployment/unpause.ts') },
  { name: 'rm', summary: 'Remove deployments', load: () => import('./deployment/rm.ts') },
  { name: 'link', summary: 'Link this folder to a project', load: () => import('./deployment/link.ts') },
  {
    name: 'unlink',
    summary: 'Forget which project this folder is linked to',
    load: () => import('./deployment/unlink.ts'),
  },
  {
    name: 'scale',
    summary: 'Set how many instances a deployment has',
    load: () => import('./deployment/scale.ts'),
  },
  {
    name: 'instances',
    summary: 'List the running instances of a deployment',
    load: () => import('./deployment/instances.ts'),
  },
  { name: 'files ls', summary: 'List the files of a deployment', load: () => import('./file/ls.ts') },
  { name: 'files get', summary: 'Read a file of a deployment', load: () => import('./file/get.ts') },
  {
    name: 'login',
    summary: 'Log in by a link in a mail',
    load: () => import('./session/login.ts'),
  },
  {
    name: 'logout',
    summary: 'Revoke the stored token and forget it',
    load: () => import('./session/logout.ts'),
  },
  {
    name: 'whoami',
    summary: 'Show who you are here',
    load: () => import('./session/whoami.ts'),
  },
  {
    name: 'usage',
    summary: 'Show what the account uses of what it may',
    load: () => import('./usage/usage.ts'),
  },
  {
    name: 'sessions ls',
    summary: 'List the browsers in which you are signed in',
    load: () => import('./browser/ls.ts'),
  },
  { name: 'sessions rm', summary: 'Sign a browser out', load: () => import('./browser/rm.ts') },
  {
    name: 'tokens create',
    summary: 'Make a token and print its value, this once',
    load: () => import('./token/create.ts'),
  },
  { name: 'tokens ls', summary: 'List your tokens', load: () => import('./token/ls.ts') },
  { name: 'tokens rm', summary: 'Revoke a token', load: () => import('./token/rm.ts') },
  { name: 'teams ls', summary: 'List your teams', load: () => import('./team/ls.ts') },
  { name: 'teams create', summary: 'Make a team that you own', load: () => import('./team/create.ts') },
  { name: 'teams switch', summary: 'Act for a team from now on', load: () => import('./team/switch.ts') },
  {
    name: 'teams set',
    summary: 'Change the name of a team and what members may',
    load: () => import('./team/set.ts'),
  },
  {
    name: 'teams members ls',
    summary: 'List the members of a team',
    load: () => import('./team/members-ls.ts'),
  },
  {
    name: 'teams members add',
    summary: 'Add somebody to a team',
    load: () => import('./team/members-add.ts'),
  },
  {
    name: 'teams members role',
    summary: 'Change the role of a member',
    load: () => import('./team/members-role.ts'),
  },
  {
    name: 'teams members rm',
    summary: 'Remove a member from a team',
    load: () => import('./team/members-rm.ts'),
  },
  {
    name: 'projects ls',
    summary: 'List projects',
    load: () => import('./project/ls.ts'),
  },
  {
    name: 'projects add',
    summary: 'Create a project',
    load: () => import('./project/add.ts'),
  },
  {
    name: 'projects inspect',
    summary: 'Show a project and its settings',
    load: () => import('./project/inspect.ts'),
  },
  {
    name: 'projects domains',
    summary: 'List the domains of a project',
    load: () => import('./project/domains.ts'),
  },
  {
    name: 'projects rename',
    summary: 'Give a project another name',
    load: () => import('./project/rename.ts'),
  },
  {
    name: 'projects set',
    summary: 'Change how a project is built and shown',
    load: () => import('./project/set.ts'),
  },
  {
    name: 'projects protect',
    summary: 'Choose who may visit a project',
    load: () => import('./project/protect.ts'),
  },
  {
    name: 'projects bypass ls',
    summary: 'List the secrets with which programs pass the protection',
    load: () => import('./project/bypass-ls.ts'),
  },
  {
    name: 'projects bypass add',
    summary: 'Make such a secret and print it',
    load: () => import('./project/bypass-add.ts'),
  },
  {
    name: 'projects bypass rm',
    summary: 'Revoke such a secret',
    load: () => import('./project/bypass-rm.ts'),
  },
  {
    name: 'projects transfer',
    summary: 'Offer a project to another account',
    load: () => import('./project/transfer.ts'),
  },
  {
    name: 'projects accept',
    summary: 'Take a project that was offered',
    load: () => import('./project/accept.ts'),
  },
  {
    name: 'projects rm',
    summary: 'Delete a project with its deployments',
    load: () => import('./project/rm.ts'),
  },
  {
    name: 'env ls',
    summary: 'List variables; values with --reveal',
    load: () => import('./env/ls.ts'),
  },
  {
    name: 'env add',
    summary: 'Set a variable, with its value from stdin or asked for',
    load: () => import('./env/add.ts'),
  },
  {
    name: 'env rm',
    summary: 'Remove a variable',
    load: () => import('./env/rm.ts'),
  },
  {
    name: 'env pull',
    summary: 'Write variables to .env.local',
    load: () => import('./env/pull.ts'),
  },
  {
    name: 'env push',
    summary: 'Set the variables of a .env file',
    load: () => import('./env/push.ts'),
  },
  {
    name: 'secrets ls',
    summary: 'List secrets, without their values',
    load: () => import('./secret/ls.ts'),
  },
  {
    name: 'secrets add',
    summary: 'Store a secret, from stdin or asked for',
    load: () => import('./secret/add.ts'),
  },
  {
    name: 'secrets rename',
    summary: 'Give a secret another name',
    load: () => import('./secret/rename.ts'),
  },
  {
    name: 'secrets rm',
    summary: 'Delete a secret',
    load: () => import('./secret/rm.ts'),
  },
  {
    name: 'alias ls',
    summary: 'List aliases',
    load: () => import('./alias/ls.ts'),
  },
  {
    name: 'alias set',
    summary: 'Point an alias to a deployment',
    load: () => import('./alias/set.ts'),
  },
  {
    name: 'alias rm',
    summary: 'Remove an alias',
    load: () => import('./alias/rm.ts'),
  },
  {
    name: 'domains ls',
    summary: 'List domains',
    load: () => import('./domain/ls.ts'),
  },
  {
    name: 'domains add',
    summary: 'Add a domain',
    load: () => import('./domain/add.ts'),
  },
  {
    name: 'domains verify',
    summary: 'Look for the proof that a domain is yours',
    load: () => import('./domain/verify.ts'),
  },
  {
    name: 'domains inspect',
    summary: 'Say which DNS records of a domain are missing or wrong',
    load: () => import('./domain/inspect.ts'),
  },
  {
    name: 'domains attach',
    summary: 'Show a project on a domain',
    load: () => import('./domain/attach.ts'),
  },
  {
    name: 'domains detach',
    summary: 'Take a domain from a project',
    load: () => import('./domain/detach.ts'),
  },
  {
    name: 'domains set',
    summary: 'Change what a domain of a project shows',
    load: () => import('./domain/set.ts'),
  },
  {
    name: 'domains price',
    summary: 'Tell what a domain costs',
    load: () => import('./domain/price.ts'),
  },
  {
    name: 'domains buy',
    summary: 'Buy a domain',
    load: () => import('./domain/buy.ts'),
  },
  {
    name: 'domains transfer-in',
    summary: 'Move a domain here from another registrar',
    load: () => import('./domain/transfer-in.ts'),
  },
  {
    name: 'domains rm',
    summary: 'Remove a domain',
    load: () => import('./domain/rm.ts'),
  },
  {
    name: 'dns ls',
    summary: 'List the DNS records of a domain',
    load: () => import('./dns/ls.ts'),
  },
  {
    name: 'dns add',
    summary: 'Add a DNS record',
    load: () => import('./dns/add.ts'),
  },
  {
    name: 'dns import',
    summary: 'Add the records of a zone file',
    load: () => import('./dns/import.ts'),
  },
  {
    name: 'dns rm',
    summary: 'Delete a DNS record',
    load: () => import('./dns/rm.ts'),
  },
  {
    name: 'certs ls',
    summary: 'List certificates',
    load: () => import('./cert/ls.ts'),
  },
  {
    name: 'certs issue',
    summary: 'Have a certificate issued',
    load: () => import('./cert/issue.ts'),
  },
  { name: 'certs renew', summary: 'Renew a certificate now', load: () => import('./cert/renew.ts') },
  {
    name: 'certs add',
    summary: 'Add a certificate of your own, from PEM files',
    load: () => import('./cert/add.ts'),
  },
  {
    name: 'certs rm',
    summary: 'Delete a certificate',
    load: () => import('./cert/rm.ts'),
  },
  {
    name: 'webhooks ls',
    summary: 'List webhooks',
    load: () => import('./webhook/ls.ts'),
  },
  {
    name: 'webhooks add',
    summary: 'Have events sent to an address',
    load: () => import('./webhook/add.ts'),
  },
  {
    name: 'webhooks set',
    summary: 'Change a webhook, or switch one on again',
    load: () => import('./webhook/set.ts'),
  },
  {
    name: 'webhooks rm',
    summary: 'Remove a webhook',
    load: () => import('./webhook/rm.ts'),
  },
  {
    name: 'webhooks deliveries',
    summary: 'List what was sent to a webhook',
    load: () => import('./webhook/deliveries.ts'),
  },
  {
    name: 'webhooks delivery',
    summary: 'Show exactly what was sent',
    load: () => import('./webhook/delivery.ts'),
  },
  {
    name: 'webhooks redeliver',
    summary: 'Send an event again',
    load: () => import('./webhook/redeliver.ts'),
  },
  { name: 'drains ls', summary: 'List log drains', load: () => import('./drain/ls.ts') },
  {
    name: 'drains add',
    summary: 'Have log entries sent to an address',
    load: () => import('./drain/add.ts'),
  },
  { name: 'drains rm', summary: 'Remove a log drain', load: () => import('./drain/rm.ts') },
  {
    name: 'drains verify-code',
    summary: 'Tell what an address has to answer before entries are sent to it',
    load: () => import('./drain/verify-code.ts'),
  },
  {
    name: 'completion',
    summary: 'Write the completion for a shell',
    load: () => import('./completion/completion.ts'),
  },
  {
    name: 'apps create',
    summary: 'Register an application and print its secret, this once',
    load: () => import('./app/create.ts'),
  },
  { name: 'apps ls', summary: 'List applications', load: () => import('./app/ls.ts') },
  { name: 'apps set', summary: 'Change an application', load: () => import('./app/set.ts') },
  {
    name: 'apps rotate-secret',
    summary: 'Give an application a new secret',
    load: () => import('./app/rotate-secret.ts'),
  },
  {
    name: 'apps rm',
    summary: 'Remove an application, also wherever it is installed',
    load: () => import('./app/rm.ts'),
  },
  {
    name: 'integrations ls',
    summary: 'List the applications that are installed',
    load: () => import('./integration/ls.ts'),
  },
  {
    name: 'integrations inspect',
    summary: 'Show what an installed application may touch',
    load: () => import('./integration/inspect.ts'),
  },
  {
    name: 'integrations projects',
    summary: 'Choose the projects that it may touch',
    load: () => import('./integration/projects.ts'),
  },
  {
    name: 'integrations confirm',
    summary: 'Agree to what it asks for besides',
    load: () => import('./integration/confirm.ts'),
  },
  {
    name: 'integrations transfer',
    summary: 'Make another OWNER of the team answer for it',
    load: () => import('./integration/transfer.ts'),
  },
  {
    name: 'integrations rm',
    summary: 'Remove an installed application',
    load: () => import('./integration/rm.ts'),
  },
  { name: 'audit ls', summary: 'List who changed what, newest first', load: () => import('./audit/ls.ts') },
  { name: 'server', summary: 'Run the platform on this machine', load: () => import('./server/server.ts') },
  {
    name: 'operator status',
    summary: 'What the installation is made of, and what it uses',
    load: () => import('./operator/status.ts'),
  },
  {
    name: 'operator doctor',
    summary: 'Look for what is not right, and say what to do about it',
    load: () => import('./operator/doctor/doctor.ts'),
  },
  {
    name: 'operator backup',
    summary: 'Save everything in one file, while the server runs',
    load: () => import('./operator/backup.ts'),
  },
  {
    name: 'operator restore',
    summary: 'Put a backup into an empty data folder',
    load: () => import('./operator/restore.ts'),
  },
  {
    name: 'operator accounts ls',
    summary: 'List the accounts of users and teams',
    load: () => import('./operator/accounts-ls.ts'),
  },
  {
    name: 'operator accounts get',
    summary: 'Look up an account',
    load: () => import('./operator/accounts-get.ts'),
  },
  {
    name: 'operator accounts set',
    summary: 'Change the plan of an account, block or unblock it',
    load: () => import('./operator/accounts-set.ts'),
  },
  {
    name: 'operator accounts quotas',
    summary: 'Show what an account uses, and change what it may',
    load: () => import('./operator/accounts-quotas.ts'),
  },
  {
    name: 'operator quotas ls',
    summary: 'List what each plan allows',
    load: () => import('./operator/quotas-ls.ts'),
  },
  {
    name: 'operator quotas set',
    summary: 'Change what a plan allows',
    load: () => import('./operator/quotas-set.ts'),
  },
  {
    name: 'operator jobs ls',
    summary: 'List the jobs that can be run now, and the queue',
    load: () => import('./operator/jobs-ls.ts'),
  },
  {
    name: 'operator jobs run',
    summary: 'Run a job now',
    load: () => import('./operator/jobs-run.ts'),
  },
  {
    name: 'operator jobs failed',
    summary: 'List the jobs that failed for good',
    load: () => import('./operator/jobs-failed.ts'),
  },
  {
    name: 'operator jobs retry',
    summary: 'Try failed jobs again',
    load: () => import('./operator/jobs-retry.ts'),
  },
  {
    name: 'operator jobs rm',
    summary: 'Forget failed jobs',
    load: () => import('./operator/jobs-rm.ts'),
  },
]

/** Other words for groups and commands, as people know them from elsewhere. */
const SYNONYMS: Readonly<Record<string, string>> = {
  token: 'tokens',
  team: 'teams',
  'teams members invite': 'add',
  'teams add': 'create',
  project: 'projects',
  'projects create': 'add',
  secret: 'secrets',
  aliases: 'alias',
  domain: 'domains',
  cert: 'certs',
  'certs upload': 'add',
  webhook: 'webhooks',
  'webhooks create': 'add',
  drain: 'drains',
  'drains create': 'add',
  app: 'apps',
  integration: 'integrations',
  session: 'sessions',
  file: 'files',
  list: 'ls',
  remove: 'rm',
}

/** The same words, with the names that commands have here. */
export function canonical(typed: readonly string[]): string[] {
  const words = [...typed]
  for (let count = 1; count <= Math.min(words.length, 3); count++) {
    const name = words.slice(0, count).join(' ')
    if (Object.hasOwn(SYNONYMS, name)) words[count - 1] = SYNONYMS[name] as string
  }
  return words
}

const beginsWith = (words: readonly string[], name: string): boolean =>
  name.split(' ').every((word, index) => words[index] === word)

/** The command that the words begin with. No name is the beginning of another. */
export const findEntry = (words: readonly string[]): Entry | undefined =>
  COMMANDS.find(({ name }) => beginsWith(words, name))

/** The name of the command or, failing that, of the innermost group that the words lead to. */
export const knownName = (words: readonly string[]): string | undefined =>
  findEntry(words)?.name ??
  Object.keys(GROUPS)
    .filter((name) => beginsWith(words, name))
    .sort((a, b) => b.length - a.length)[0]
