import { html, raw } from '#contract/html.ts'
import { type Answer, headerOf, type Question, withoutNamesOf } from './answer.ts'
import { preferredType } from './preferred-type.ts'

interface EdgeError {
  readonly status: number
  readonly title: string
  readonly message: string
  /** After so many seconds another try may be worth it. */
  readonly retryAfter?: number
}

/** Everything that goes wrong before a site can answer for itself. */
const EDGE_ERRORS = {
  BAD_REQUEST: {
    status: 400,
    title: 'Bad request',
    message: 'The address of this request is malformed.',
  },
  DEPLOYMENT_DISABLED: {
    status: 402,
    title: 'Deployment disabled',
    message: 'The owner of this deployment has to settle something before it is served again.',
  },
  DEPLOYMENT_NOT_FOUND: {
    status: 404,
    title: 'Deployment not found',
    message: 'There is no deployment at this address.',
  },
  DEPLOYMENT_NOT_READY: {
    status: 404,
    title: 'Deployment is on its way',
    message: 'This deployment is being built. This page shows it as soon as it is ready.',
    retryAfter: 3,
  },
  DEPLOYMENT_FAILED: {
    status: 404,
    title: 'Deployment failed',
    message: 'The build of this deployment failed, so there is nothing to serve.',
  },
  NOT_FOUND: {
    status: 404,
    title: 'Not found',
    message: 'There is nothing at this path of the site.',
  },
  INVALID_REQUEST_METHOD: {
    status: 405,
    title: 'Method not allowed',
    message: 'What is at this path can only be read, with GET or HEAD.',
  },
  DEPLOYMENT_DELETED: {
    status: 410,
    title: 'Deployment deleted',
    message: 'This deployment was deleted and does not come back.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    title: 'Precondition failed',
    message: 'The content is not the one that the request insists on.',
  },
  URL_TOO_LONG: {
    status: 414,
    title: 'Address too long',
    message: 'The path is too long for the routes of this site.',
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    title: 'Range not satisfiable',
    message: 'The content does not have the bytes that the request asks for.',
  },
  CLIENT_CLOSED_REQUEST: {
    status: 499,
    title: 'Client closed request',
    message: 'The visitor left before there was an answer.',
  },
  INTERNAL_ERROR: {
    status: 500,
    title: 'Something went wrong',
    message: 'The request could not be answered. It is not your fault, and it was noted.',
  },
  DNS_HOSTNAME_RESOLVE_FAILED: {
    status: 502,
    title: 'Bad gateway',
    message: 'The name of the server behind this path could not be resolved.',
  },
  DNS_HOSTNAME_RESOLVED_PRIVATE: {
    status: 502,
    title: 'Bad gateway',
    message: 'The server behind this path has a private address, where requests are not sent.',
  },
  ROUTER_EXTERNAL_TARGET_CONNECTION_ERROR: {
    status: 502,
    title: 'Bad gateway',
    message: 'The server behind this path could not be reached.',
  },
  ROUTER_EXTERNAL_TARGET_HANDSHAKE_ERROR: {
    status: 502,
    title: 'Bad gateway',
    message: 'No secure connection to the server behind this path could be made.',
  },
  ROUTER_EXTERNAL_TARGET_ERROR: {
    status: 502,
    title: 'Bad gateway',
    message: 'The server behind this path did not give a proper answer.',
  },
  FUNCTION_INVOCATION_FAILED: {
    status: 502,
    title: 'Bad gateway',
    message: 'The function behind this path failed before it gave an answer.',
  },
  FUNCTION_NOT_FOUND: {
    status: 502,
    title: 'Bad gateway',
    message: 'The function behind this path is not there any more.',
  },
  DEPLOYMENT_PAUSED: {
    status: 503,
    title: 'Deployment paused',
    message: 'The owner has paused this project.',
  },
  FUNCTION_UNAVAILABLE: {
    status: 503,
    title: 'Service unavailable',
    message: 'The function behind this path cannot be run at the moment.',
    retryAfter: 5,
  },
  FUNCTION_INVOCATION_TIMEOUT: {
    status: 504,
    title: 'Gateway timeout',
    message: 'The function behind this path took longer than it may.',
  },
  ROUTER_EXTERNAL_TARGET_TIMEOUT: {
    status: 504,
    title: 'Gateway timeout',
    message: 'The server behind this path took too long to answer.',
  },
  INFINITE_LOOP_DETECTED: {
    status: 508,
    title: 'Loop detected',
    message: 'The routes of this site lead back to itself.',
  },
} as const satisfies Record<string, EdgeError>

export type EdgeErrorCode = keyof typeof EDGE_ERRORS

/** The error in the form that the client likes best. `headers` go along with it where they say something else. */
export function errorAnswer(
  code: EdgeErrorCode,
  id: string,
  question: Question,
  headers: readonly string[] = [],
): Answer {
  const error: EdgeError = EDGE_ERRORS[code]
  const type = preferredType(headerOf(question, 'accept'), ['text/html', 'application/json', 'text/plain'])
  const body = Buffer.from(RENDER[type](code, error, id))
  const own = [
    ...['content-type', `${type}; charset=utf-8`],
    ...['cache-control', 'no-store'],
    ...['vary', 'accept'],
    ...['x-platform-error', code],
    ...(error.retryAfter === undefined ? [] : ['retry-after', String(error.retryAfter)]),
    ...(type === 'text/html' ? PAGE_HEADERS : []),
    ...['content-length', String(body.length)],
  ]
  return {
    status: error.status,
    headers: [...own, ...withoutNamesOf(own, headers)],
    body,
    source: 'error',
    entrypoint: '',
  }
}

/** The page needs nothing from anywhere. */
const PAGE_HEADERS = ['content-security-policy', "default-src 'none'; style-src 'unsafe-inline'"]

const STYLE = raw(
  ':root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-content:center;' +
    'font:16px/1.5 system-ui,sans-serif;text-align:center;padding:0 1.5rem}' +
    'h1{font-size:1.5rem;margin:0}p{margin:.5rem 0;opacity:.75}code{font-size:.8rem;opacity:.6}',
)

const RENDER = {
  'text/html': (code: EdgeErrorCode, { status, title, message, retryAfter }: EdgeError, id: string) =>
    html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
${retryAfter === undefined ? raw('') : html`<meta http-equiv="refresh" content="${retryAfter}">`}
<title>${status}: ${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1><p>${message}</p><p><code>${code}<br>${id}</code></p></main></body>
</html>
`.text,
  'application/json': (code: EdgeErrorCode, { message }: EdgeError, id: string) =>
    `${JSON.stringify({ error: { code, message, id } })}\n`,
  'text/plain': (code: EdgeErrorCode, { title, message }: EdgeError, id: string) =>
    `${title}\n\n${message}\n\n${code}\n${id}\n`,
}
