import { SCOPES, type Scope } from '#contract/scopes.ts'
import type { Scopes } from '#core/application/application.ts'

/** What each scope lets an application do, to read and to change. */
const WORDS: Readonly<Record<Scope, { readonly read: string; readonly write: string }>> = {
  'integration-configuration': {
    read: 'View its own configuration',
    write: 'View its own configuration and uninstall itself',
  },
  deployment: {
    read: 'View deployments, their files and logs',
    write: 'View, create and delete deployments and their aliases',
  },
  'deployment-check': { read: 'View deployment checks', write: 'View and create deployment checks' },
  'edge-config': { read: 'View edge configs', write: 'View and edit edge configs' },
  project: { read: 'View projects and their settings', write: 'View, edit and delete projects' },
  'project-env-vars': {
    read: 'View the environment variables it created',
    write: 'Add environment variables to projects and edit its own',
  },
  'global-project-env-vars': {
    read: 'View all environment variables and the names of secrets',
    write: 'View and edit all environment variables and secrets',
  },
  team: { read: 'View the team and its members', write: 'View the team and its members' },
  user: { read: 'View your name and email', write: 'View your name and email' },
  'log-drain': { read: 'View its log drains', write: 'Forward your logs to another service' },
  domain: {
    read: 'View domains, DNS records and certificates',
    write: 'View and edit domains, DNS records and certificates',
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
