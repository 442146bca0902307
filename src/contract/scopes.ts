/** What an integration can be allowed to touch. Personal tokens are not limited by scopes. */
export const SCOPES = [
  'integration-configuration',
  'deployment',
  'deployment-check',
  'edge-config',
  'project',
  'project-env-vars',
  'global-project-env-vars',
  'team',
  'user',
  'log-drain',
  'domain',
] as const
export type Scope = (typeof SCOPES)[number]

/**
 * Who may call an endpoint. Every endpoint names one; what it does not allow is denied.
 * - `public`: nobody has to sign in (login, health, help pages)
 * - `personal`: a person's own token, never an integration's
 * - `operator`: an operator of this installation
 * - `scope`: a person, or an integration that was granted all of these scopes
 */
export type Access =
  | { readonly kind: 'public' }
  | { readonly kind: 'personal' }
  | { readonly kind: 'operator' }
  | { readonly kind: 'scope'; readonly scopes: readonly Scope[] }

export const PUBLIC: Access = { kind: 'public' }
export const PERSONAL: Access = { kind: 'personal' }
export const OPERATOR: Access = { kind: 'operator' }
export const needs = (...scopes: readonly Scope[]): Access => ({ kind: 'scope', scopes })
