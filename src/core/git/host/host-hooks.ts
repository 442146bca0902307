import type { HostAccess } from './host-api.ts'

/** Webhooks of a repository at its host. Rejects as `HostAccounts` does. */
export interface HostHooks {
  /** Has the host call an address after pushes and changes of pull requests; answers the id. One that calls it already is replaced. */
  create(
    access: HostAccess,
    repository: string,
    hook: { readonly url: string; readonly secret: string },
    signal: AbortSignal,
  ): Promise<string>
  /** Has the host make a delivery now; false where it has no way to. */
  test(access: HostAccess, repository: string, id: string, signal: AbortSignal): Promise<boolean>
  /** One that is gone already is no error. */
  remove(access: HostAccess, repository: string, id: string, signal: AbortSignal): Promise<void>
}
