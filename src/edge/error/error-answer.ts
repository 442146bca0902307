import { type Answer, headerOf, type Question, withoutNamesOf } from '../answer.ts'
import { type ErrorPage, errorPage, PAGE_POLICY } from './error-page.ts'
import { preferredType } from './preferred-type.ts'

interface EdgeError extends Omit<ErrorPage, 'code' | 'id'> {
  /** Whether it is about one visitor: then not even a careless cache may keep it. */
  readonly personal?: boolean
}

/** Everything that goes wrong before a site can answer for itself. */
const EDGE_ERRORS = {
  BAD_REQUEST: {
    status: 400,
    title: 'Bad request',
    message: 'The URL of this request is malformed.',
  },
  PASSWORD_REQUIRED: {
    status: 401,
    title: 'Password required',
    message: 'This site is protected. Enter the password to continue.',
    form: 'password',
    personal: true,
  },
  PASSWORD_WRONG: {
    status: 401,
    title: 'Password required',
    message: 'This site is protected. Enter the password to continue.',
    problem: 'Incorrect password. Try again.',
    form: 'password',
    personal: true,
  },
  SSO_REQUIRED: {
    status: 401,
    title: 'Sign-in required',
    message: 'Only members of the team that owns this site can view it. Open it in a browser to sign in.',
    personal: true,
  },
  SSO_PASS_INVALID: {
    status: 401,
    title: 'Sign in again',
    message: 'This sign-in link has expired or was already used.',
    link: { href: '/', text: 'Go to the site' },
    personal: true,
  },
  DEPLOYMENT_DISABLED: {
    status: 402,
    title: 'Deployment disabled',
    message: 'This deployment is disabled because of a problem with its owner’s account.',
  },
  SSO_NO_ACCESS: {
    status: 403,
    title: 'Access denied',
    message: 'Only members of the team that owns this site can view it, and your account isn’t one of them.',
    personal: true,
  },
  DEPLOYMENT_NOT_FOUND: {
    status: 404,
    title: 'Deployment not found',
    message: 'There is no deployment at this URL.',
  },
  DEPLOYMENT_NOT_READY: {
    status: 404,
    title: 'Building…',
    message: 'This deployment is being built. The page reloads when it’s ready.',
    retryAfter: 3,
  },
  DEPLOYMENT_FAILED: {
    status: 404,
    title: 'Deployment failed',
    message: 'This deployment’s build failed, so there is nothing to show.',
  },
  NOT_FOUND: {
    status: 404,
    title: 'Not found',
    message: 'This page doesn’t exist.',
  },
  INVALID_REQUEST_METHOD: {
    status: 405,
    title: 'Method not allowed',
    message: 'This path only accepts GET and HEAD requests.',
  },
  DEPLOYMENT_DELETED: {
    status: 410,
    title: 'Deployment deleted',
    message: 'This deployment has been deleted.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    title: 'Precondition failed',
    message: 'The content doesn’t match the conditions of the request.',
  },
  URL_TOO_LONG: {
    status: 414,
    title: 'URL too long',
    message: 'The path of this URL is too long.',
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    title: 'Range not satisfiable',
    message: 'The requested range is outside the content.',
  },
  TOO_MANY_TRIES: {
    status: 429,
    title: 'Too many attempts',
    message:
      'Too many incorrect passwords were entered from your network. Wait a few minutes, then try again.',
    personal: true,
  },
  CLIENT_CLOSED_REQUEST: {
    status: 499,
    title: 'Client closed request',
    message: 'The client closed the connection before a response was sent.',
  },
  INTERNAL_ERROR: {
    status: 500,
    title: 'Something went wrong',
    message: 'An unexpected error occurred on the server. It has been logged.',
  },
  FUNCTION_INVOCATION_FAILED: {
    status: 500,
    title: 'Function crashed',
    message:
      'The function behind this page crashed before it could respond. Its owner can find the error in the logs.',
  },
  DNS_HOSTNAME_RESOLVE_FAILED: {
    status: 502,
    title: 'Bad gateway',
    message: 'The hostname of the upstream server couldn’t be resolved.',
  },
  DNS_HOSTNAME_RESOLVED_PRIVATE: {
    status: 502,
    title: 'Bad gateway',
    message: 'The upstream server has a private IP address, which isn’t allowed.',
  },
  ROUTER_EXTERNAL_TARGET_CONNECTION_ERROR: {
    status: 502,
    title: 'Bad gateway',
    message: 'The upstream server couldn’t be reached.',
  },
  ROUTER_EXTERNAL_TARGET_HANDSHAKE_ERROR: {
    status: 502,
    title: 'Bad gateway',
    message: 'A secure connection to the upstream server couldn’t be established.',
  },
  ROUTER_EXTERNAL_TARGET_ERROR: {
    status: 502,
    title: 'Bad gateway',
    message: 'The upstream server sent an invalid response.',
  },
  FUNCTION_NOT_FOUND: {
    status: 502,
    title: 'Bad gateway',
    message: 'The function behind this page no longer exists.',
  },
  DEPLOYMENT_PAUSED: {
    status: 503,
    title: 'Deployment paused',
    message: 'The owner has paused this project.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    title: 'Service unavailable',
    message: 'This site is temporarily unavailable. Try again in a few seconds.',
    retryAfter: 5,
  },
  FUNCTION_UNAVAILABLE: {
    status: 503,
    title: 'Service unavailable',
    message: 'The function behind this page is temporarily unavailable. Try again in a few seconds.',
    retryAfter: 5,
  },
  FUNCTION_INVOCATION_TIMEOUT: {
    status: 504,
    title: 'Gateway timeout',
    message: 'The function behind this page took too long to respond.',
  },
  ROUTER_EXTERNAL_TARGET_TIMEOUT: {
    status: 504,
    title: 'Gateway timeout',
    message: 'The upstream server took too long to respond.',
  },
  INFINITE_LOOP_DETECTED: {
    status: 508,
    title: 'Loop detected',
    message: 'The routes of this site form a loop.',
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
    ...['cache-control', error.personal === true ? 'private, no-store' : 'no-store'],
    ...['vary', 'accept'],
    ...['x-platform-error', code, 'x-vercel-error', code],
    ...(error.retryAfter === undefined ? [] : ['retry-after', String(error.retryAfter)]),
    ...(type === 'text/html' ? ['content-security-policy', PAGE_POLICY] : []),
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

const RENDER = {
  'text/html': (code: EdgeErrorCode, error: EdgeError, id: string) => errorPage({ ...error, code, id }),
  'application/json': (code: EdgeErrorCode, { message }: EdgeError, id: string) =>
    `${JSON.stringify({ error: { code, message, id } })}\n`,
  'text/plain': (code: EdgeErrorCode, { title, message }: EdgeError, id: string) =>
    `${title}\n\n${message}\n\n${code}\n${id}\n`,
}
