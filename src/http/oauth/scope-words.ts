import { SCOPES, type Scope } from '#contract/scopes.ts'
import type { Scopes } from '#core/application/application.ts'

/** What each scope lets an application do, to read and to change. */
const WORDS: Readonly<Record<Scope, { readonly read: string; readonly write: string }>> = {
  'integration-configuration': {
    read: 'See how it is installed here',
    write: 'See how it is installed here, and remove itself',
  },
  deployment: {
    read: 'See deployments, their files and logs',
    write: 'See, make and delete deployments and their aliases',
  },
  'deployment-check': { read: 'See checks of deployments', write: 'See and make checks of deployments' },
  'edge-config': { read: 'See edge configs', write: 'See and change edge configs' },
  project: { read: 'See projects and their settings', write: 'See, change and delete projects' },
  'project-env-vars': {
    read: 'See the environment variables that it made itself',
    write: 'Add environment variables to projects, and change its own',
  },
  'global-project-env-vars': {
    read: 'See all environment variables and the names of secrets',
    write: 'See and change all environment variables and secrets',
  },
  team: { read: 'See the team and its members', write: 'See the team and its members' },
  user: { read: 'See your name and e-mail address', write: 'See your name and e-mail address' },
  'log-drain': { read: 'See its log drains', write: 'Have your logs sent elsewhere' },
  domain: {
    read: 'See domains, DNS records and certificates',
    write: 'See and change domains, DNS records and certificates',
  },
}

/** What an application asks for, in words for people. */
export const wordsFor = (scopes: Scopes): readonly { readonly text: string; readonly writes: boolean }[] =>
  SCOPES.flatMap((scope) => {
    const permission = scopes[scope]
    if (permission === undefined) return []
    const writes = permission === 'read-write'
    return [{ text: writes ? WORDS[scope].write : WORDS[scope].read, writes }]
  })
