import * as api from '#contract/api/system.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { html } from '#contract/html.ts'
import type { Check, Status } from '#core/operator/status.ts'
import type { UnknownEndpoint } from '#core/operator/unknown-endpoints.ts'
import { page } from '../answer/page.ts'
import { describeApi } from '../openapi.ts'
import { publicRoute, type Route } from '../route.ts'
import { docsPage } from './docs-page.ts'
import { explainError } from './error-page.ts'

export interface SystemParts {
  readonly site: string
  /** How the command line is called on the machine of the server. */
  readonly command: string
  readonly version: string
  readonly origin: string
  /** False where mails are printed in the terminal and kept in a folder, because there is no mail server. */
  readonly sendsMail: boolean
  /** Throws while something the API depends on does not answer. */
  readonly checkHealth: () => Promise<void>
  readonly readMetrics: () => Promise<{ readonly type: string; readonly body: string }>
  readonly readStatus: () => Promise<Status & { readonly checks: readonly Check[] }>
  readonly readUnknown: () => Promise<readonly UnknownEndpoint[]>
  readonly restart: () => Promise<string | undefined>
}

/** `rows` is asked for late, because these endpoints describe the whole table they stand in. */
export const systemRoutes = (parts: SystemParts, rows: () => readonly Endpoint[]): readonly Route[] => {
  const { site, version, origin } = parts
  let description: string | undefined
  let docs: string | undefined
  return [
    publicRoute(api.healthz, async () => {
      await parts.checkHealth()
      return { status: 'ok', version, origin }
    }),
    publicRoute(api.metrics, () => parts.readMetrics()),
    publicRoute(api.openapi, () => {
      description ??= JSON.stringify(describeApi(rows(), site, version))
      return { type: 'application/json; charset=utf-8', body: description }
    }),
    publicRoute(api.docs, (_visit, { query: { q = '' } }) => {
      if (q.trim() !== '') return docsPage(rows(), site, q)
      docs ??= docsPage(rows(), site)
      return docs
    }),
    publicRoute(api.errorPage, (_visit, { params }) => explainError(params.code)),
    publicRoute(api.familyErrorPage, (_visit, { params }) => explainError(params.code, params.family)),
    publicRoute(api.home, () =>
      page(
        'Aloft is running',
        html`<p>This is the API of a self-hosted deployment platform.</p>
<p><a href="/login">Sign in</a> · <a href="/docs">API reference</a> · <a href="/openapi.json">OpenAPI</a> · <a href="/healthz">Health</a></p>
<p class="soft">Version ${version}, origin ${origin}.</p>`,
      ),
    ),
  ]
}
