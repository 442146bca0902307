import type { NavigateOptions } from '@tanstack/react-router'
import type { Account } from '../api/account.tsx'
import type { IconName } from '../ui/icon.tsx'
import type { Command } from './matching.ts'
import { type NavigationEntry, OPERATOR_PLACES, PERSON_PLACES, placesOf } from './navigation.tsx'
import { setTheme } from './theme.ts'

type Draft = Command extends infer C ? (C extends Command ? Omit<C, 'id'> : never) : never

interface Findable {
  readonly account: Account | undefined
  readonly accounts: readonly Account[]
  /** Their names, those that fit best first. */
  readonly projects: readonly string[]
  readonly deployments: readonly { readonly id: string; readonly label: string; readonly words: string }[]
  readonly domains: readonly string[]
  /** Whose page is open. */
  readonly project: string | undefined
  readonly operator: boolean
  readonly onNewTeam: () => void
}

const PROJECT = '/a/$account/projects/$project'

/** The pages of a project and what is set on each, with what people call it elsewhere. */
const PROJECT_PLACES: readonly (readonly [label: string, icon: IconName, rest: string, words: string])[] = [
  ['Overview', 'grid', '', 'production live'],
  ['Deployments', 'rocket', '/deployments', 'history releases roll back promote'],
  ['Logs', 'logs', '/logs', 'requests output console errors stderr runtime tail'],
  ['Analytics', 'chart', '/analytics', 'traffic latency p95 requests visitors usage'],
  ['Compare deployments', 'copy', '/compare', 'diff changes'],
  [
    'Settings: General',
    'gear',
    '/settings',
    'rename name project id node version source visibility directory listing',
  ],
  [
    'Settings: Build',
    'box',
    '/settings/build',
    'framework build command install output root directory monorepo ignore function region',
  ],
  ['Settings: Environment variables', 'key', '/settings/variables', 'env envs .env secrets variables config'],
  ['Settings: Domains', 'domain', '/settings/domains', 'dns hostname custom domain redirect www'],
  [
    'Settings: Protection',
    'shield',
    '/settings/protection',
    'password sso auth access private trusted ips cors options bypass',
  ],
  ['Settings: Advanced', 'gear', '/settings/advanced', 'pause resume transfer delete remove archive'],
]

/** What can be done in a project, and the page on which it is. */
const PROJECT_ACTIONS: readonly (readonly [label: string, icon: IconName, rest: string, words: string])[] = [
  ['Roll back production', 'undo', '/deployments', 'revert undo previous'],
  ['Promote a deployment', 'rocket', '/deployments', 'go live release publish'],
  ['Add environment variable', 'plus', '/settings/variables', 'env secret'],
  ['Add domain to project', 'plus', '/settings/domains', 'custom hostname'],
  ['Set a password', 'lock', '/settings/protection', 'protect private'],
  ['Pause project', 'pause', '/settings/advanced', 'stop maintenance offline'],
  ['Transfer project', 'arrow', '/settings/advanced', 'move account team'],
  ['Delete project', 'trash', '/settings/advanced', 'remove destroy'],
]

/** What an account's pages are called elsewhere. */
const WORDS: Readonly<Record<string, string>> = {
  Projects: 'sites apps home',
  Deployments: 'builds releases',
  Domains: 'dns buy registrar nameservers',
  Certificates: 'ssl tls https',
  Aliases: 'hostnames',
  Secrets: 'env encrypted values',
  Integrations: 'oauth apps applications marketplace',
  Webhooks: 'events notifications hooks',
  'Log drains': 'logs forward syslog export',
  Usage: 'limits quota plan billing',
  'Audit log': 'activity history who changed',
  Members: 'people invite users team roles',
  'Team settings': 'rename slug team id',
  Profile: 'account email username',
  'Access tokens': 'api key ci bearer personal',
  Sessions: 'browsers devices sign out',
  Health: 'status checks disk memory',
  'Accounts and plans': 'users block',
  Quotas: 'limits',
  Machines: 'servers nodes cluster drain load',
  Jobs: 'queue cron scheduled dead',
  Backups: 'restore export',
}

export function commandsOf(found: Findable): readonly Command[] {
  const { account, accounts, projects, deployments, domains, project, operator, onNewTeam } = found
  const drafts: Draft[] = []
  const place = (group: string, { label, icon, link }: NavigationEntry) => {
    const words = WORDS[label]
    drafts.push({ label, group, icon, link: link as NavigateOptions, ...(words !== undefined && { words }) })
  }
  if (account !== undefined) {
    const params = { account: account.slug }
    if (project !== undefined) {
      const own = { ...params, project }
      const add =
        (group: string) =>
        ([label, icon, rest, words]: (typeof PROJECT_PLACES)[number]) =>
          drafts.push({
            ...{ label, group, icon, words, isNear: true },
            link: { to: PROJECT + rest, params: own } as NavigateOptions,
          })
      PROJECT_PLACES.forEach(add(project))
      drafts.push({
        ...{ label: `Deploy ${project}`, group: 'Action', icon: 'upload', words: 'upload new', isNear: true },
        link: { to: '/a/$account/new', params, search: { project } } as NavigateOptions,
      })
      PROJECT_ACTIONS.forEach(add('Action'))
    }
    for (const name of projects)
      drafts.push({
        ...{ label: name, group: 'Project', icon: 'box' },
        link: { to: PROJECT, params: { ...params, project: name } } as NavigateOptions,
      })
    for (const { id, label, words } of deployments)
      drafts.push({
        ...{ label, group: 'Deployment', icon: 'rocket', words },
        link: {
          to: '/a/$account/deployments/$deployment',
          params: { ...params, deployment: id },
        } as NavigateOptions,
      })
    for (const name of domains)
      drafts.push({
        ...{ label: name, group: 'Domain', icon: 'domain' },
        link: { to: '/a/$account/domains/$name', params: { ...params, name } } as NavigateOptions,
      })
    drafts.push({
      ...{ label: 'New deployment', group: 'Action', icon: 'plus', words: 'deploy upload project create' },
      link: { to: '/a/$account/new', params } as NavigateOptions,
    })
    for (const { places } of placesOf(account)) for (const each of places) place('Page', each)
  }
  for (const { slug, name, id } of accounts)
    if (id !== account?.id)
      drafts.push({
        ...{ label: name, group: 'Switch account', icon: 'people' },
        link: { to: '/a/$account', params: { account: slug } } as NavigateOptions,
      })
  drafts.push({
    ...{ label: 'New team', group: 'Action', icon: 'plus' },
    words: 'create organization account',
    run: onNewTeam,
  })
  for (const each of PERSON_PLACES) place('You', each)
  if (operator) for (const each of OPERATOR_PLACES) place('Operator', each)
  for (const theme of ['light', 'dark', 'system'] as const)
    drafts.push({
      ...{ label: `Theme: ${theme}`, group: 'Action', icon: theme === 'light' ? 'sun' : 'moon' },
      words: 'appearance color mode',
      run: () => setTheme(theme),
    })
  drafts.push({
    label: 'API reference',
    group: 'Help',
    icon: 'file',
    words: 'docs documentation rest',
    href: '/docs',
  })
  drafts.push({
    label: 'Sign out',
    group: 'Action',
    icon: 'external',
    words: 'log out leave',
    href: '/logout',
  })
  return drafts.map((draft, index) => ({ ...draft, id: String(index) }) as Command)
}
