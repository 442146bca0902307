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
    message: 'The address of this request is malformed.',
  },
  PASSWORD_REQUIRED: {
    status: 401,
    title: 'Password required',
    message: 'Enter the password of this site to see it.',
    form: 'password',
    personal: true,
  },
  PASSWORD_WRONG: {
    status: 401,
    title: 'Password required',
    message: 'Enter the password of this site to see it.',
    problem: 'That is not the password of this site.',
    form: 'password',
    personal: true,
  },
  SSO_REQUIRED: {
    status: 401,
    title: 'Sign-in required',
    message: 'Only members of the team that owns this site may visit it. Open it in a browser to sign in.',
    personal: true,
  },
  SSO_PASS_INVALID: {
    status: 401,
    title: 'Sign in once more',
    message: 'The link that brought you here was used already, or is too old.',
    link: { href: '/', text: 'Go to the site' },
    personal: true,
  },
  DEPLOYMENT_DISABLED: {
    status: 402,
    title: 'Deployment disabled',
    message: 'The owner of this deployment has to settle something before it is served again.',
  },
  SSO_NO_ACCESS: {
    status: 403,
    title: 'No access',
    message: 'Only members of the team that owns this site may visit it, and your account is none of them.',
    personal: true,
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
    message: 'This deployment failed, so there is nothing to serve.',
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
  TOO_MANY_TRIES: {
    status: 429,
    title: 'Too many tries',
    message: 'There were too many wrong passwords from your network. Wait some minutes and try again.',
    personal: true,
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
  FUNCTION_INVOCATION_FAILED: {
    status: 500,
    title: 'Function failed',
    message: 'The function behind this path failed before it gave an answer.',
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
  SERVICE_UNAVAILABLE: {
    status: 503,
    title: 'Service unavailable',
    message: 'This site cannot be looked up at the moment. Try again in a few seconds.',
    retryAfter: 5,
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
    ...['cache-control', error.personal === true ? 'private, no-store' : 'no-store'],
    ...['vary', 'accept'],
    ...['x-platform-error', code],
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
