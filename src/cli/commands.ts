import type { Command, Examples } from './command.ts'

export interface Entry {
  /** The words that name it. */
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<{ readonly command: Command }>
}

/** Words that only lead to commands. */
export const GROUPS: Readonly<Record<string, { readonly summary: string; readonly examples: Examples }>> = {
  token: {
    summary: 'Make and revoke API tokens',
    examples: [
      ['token create ci', 'a token that does not lapse'],
      ['token ls', 'your tokens, with their ids'],
    ],
  },
  teams: {
    summary: 'Teams and their members',
    examples: [
      ['teams create acme --name "Acme Inc."', 'a team'],
      ['teams members ls --team acme', 'who is in it'],
    ],
  },
  'teams members': {
    summary: 'Who belongs to a team, and as what',
    examples: [
      ['teams members add jo@example.com --team acme', 'add somebody'],
      ['teams members role jo@example.com owner --team acme', 'make them an owner'],
    ],
  },
  domains: {
    summary: 'Domains of your own',
    examples: [['domains inspect example.com', 'what DNS says of it, and what to do next']],
  },
  operator: {
    summary: 'Run this installation (operators only)',
    examples: [
      ['operator accounts set acme --plan pro', 'change a plan'],
      ['operator jobs ls', 'what can be run now'],
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
    summary: 'The recurring jobs of this installation',
    examples: [['operator jobs run logins.clean-up', 'do not wait for its time']],
  },
}

/** Every command. Only the one that is asked for is loaded: the rest costs a line of help. */
export const COMMANDS: readonly Entry[] = [
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
    name: 'token create',
    summary: 'Make a token and print its value, this once',
    load: () => import('./token/create.ts'),
  },
  { name: 'token ls', summary: 'List your tokens', load: () => import('./token/ls.ts') },
  { name: 'token rm', summary: 'Revoke a token', load: () => import('./token/rm.ts') },
  { name: 'teams ls', summary: 'List your teams', load: () => import('./team/ls.ts') },
  { name: 'teams create', summary: 'Make a team that you own', load: () => import('./team/create.ts') },
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
    name: 'domains inspect',
    summary: 'Say which DNS records of a domain are missing or wrong',
    load: () => import('./domain/inspect.ts'),
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
    name: 'operator jobs ls',
    summary: 'List the jobs that can be run now, and the queue',
    load: () => import('./operator/jobs-ls.ts'),
  },
  {
    name: 'operator jobs run',
    summary: 'Run a job now',
    load: () => import('./operator/jobs-run.ts'),
  },
]

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
