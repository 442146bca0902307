/** One row an error kind. `code` is what clients see where it differs from the kind. */
export interface ErrorSpec {
  readonly status: number
  readonly meaning: string
  readonly code?: string
  /** The code that legacy endpoints answer instead. */
  readonly legacy?: string
  /** Where the help page of a legacy body lives: `/errors/<family>/<code>`; generic codes have none. */
  readonly family?: 'deployments' | 'domains' | 'certs' | 'aliases' | 'secrets' | 'teams' | 'login' | 'oauth'
}

export const ERRORS = {
  // Generic
  bad_request: { status: 400, meaning: 'A parameter is missing or invalid; the message says which.' },
  auth_failed: {
    status: 403,
    code: 'forbidden',
    legacy: 'authentication_error',
    meaning: 'The token is missing, unknown, expired or revoked.',
  },
  payment_required: {
    status: 402,
    meaning: 'The account is blocked until its payment is settled: reads work, writes do not.',
  },
  forbidden: { status: 403, meaning: 'The caller may not do this, or not with this resource.' },
  feature_not_available: { status: 403, meaning: 'The plan of the account does not include this feature.' },
  integration_configuration_disabled: {
    status: 403,
    meaning: 'The installation of the integration is disabled; its ownership has to be transferred first.',
  },
  not_found: { status: 404, meaning: 'There is no such path, version or resource.' },
  method_unknown: {
    status: 405,
    meaning: 'The endpoint does not handle this method; the message names those it does.',
  },
  conflict: { status: 409, meaning: 'The change clashes with something that exists or is under way.' },
  not_modified: { status: 409, meaning: 'There is nothing to change; what was asked for is already so.' },
  payload_too_large: { status: 413, meaning: 'The body is larger than the endpoint accepts.' },
  rate_limited: {
    status: 429,
    code: 'too_many_requests',
    legacy: 'rate_limited',
    meaning: 'The allowance of this endpoint is used up; `limit.reset` says when it starts anew.',
  },
  internal_server_error: {
    status: 500,
    meaning: 'Something failed on our side; the id in the message finds it in the log.',
  },
  service_unavailable: {
    status: 503,
    meaning: 'A part this request needs does not answer; try again later.',
  },

  // Deployments
  missing_files: {
    status: 400,
    family: 'deployments',
    meaning: 'Files named at creation were not uploaded; `missing` lists them.',
  },
  no_files: { status: 400, family: 'deployments', meaning: 'The deployment has no files.' },
  env_too_many_keys: { status: 400, family: 'deployments', meaning: 'More than 100 environment variables.' },
  env_key_invalid_characters: {
    status: 400,
    family: 'deployments',
    meaning: 'A variable name has characters other than letters, digits and `_`.',
  },
  env_key_invalid_length: {
    status: 400,
    family: 'deployments',
    meaning: 'A variable name is longer than 256 characters.',
  },
  env_value_invalid_length: {
    status: 400,
    family: 'deployments',
    meaning: 'A variable value is longer than 65536 characters.',
  },
  env_value_invalid_type_missing_uid: {
    status: 400,
    family: 'deployments',
    meaning: 'A variable value is an object without `uid`.',
  },
  env_value_invalid_type_unknown_props: {
    status: 400,
    family: 'deployments',
    meaning: 'A variable value is an object with keys other than `uid`.',
  },
  env_value_invalid_type: {
    status: 400,
    family: 'deployments',
    meaning: 'A variable value has an unsupported type.',
  },
  env_secret_missing: {
    status: 400,
    family: 'deployments',
    meaning: 'The referenced secret does not exist.',
  },
  env_secret_forbidden: {
    status: 403,
    family: 'deployments',
    meaning: 'The caller may not use the referenced secret.',
  },
  invalid_session_affinity: {
    status: 400,
    family: 'deployments',
    meaning: '`sessionAffinity` is neither `ip` nor `random`.',
  },
  plan_requires_public: {
    status: 403,
    family: 'deployments',
    meaning: 'The OSS plan allows public deployments only.',
  },
  invalid_routes: {
    status: 400,
    family: 'deployments',
    meaning: 'A route is malformed; `errors` lists the reasons.',
  },
  unreferenced_build_specifications: {
    status: 400,
    family: 'deployments',
    meaning: 'An entry of `builds` matches none of the files.',
  },
  deployment_not_ready: { status: 400, family: 'deployments', meaning: 'The deployment is not READY.' },
  deployment_type_unsupported: {
    status: 400,
    family: 'deployments',
    meaning: 'This type of deployment cannot be scaled.',
  },
  wrong_min_max_relation: { status: 400, family: 'deployments', meaning: '`min` is larger than `max`.' },
  forbidden_min_instances: {
    status: 403,
    family: 'deployments',
    meaning: '`min` is more than the account may use.',
  },
  forbidden_max_instances: {
    status: 403,
    family: 'deployments',
    meaning: '`max` is more than the account may use.',
  },
  deployment_not_found: {
    status: 404,
    family: 'deployments',
    meaning: 'The deployment to point to does not exist.',
  },

  // Aliases and secrets
  invalid_alias: { status: 400, family: 'aliases', meaning: 'The alias is malformed or reserved.' },
  alias_in_use: { status: 403, family: 'aliases', meaning: 'Another account holds the alias.' },
  gone: { status: 410, family: 'aliases', meaning: 'The deployment failed or was deleted.' },
  secret_already_exists: { status: 409, family: 'secrets', meaning: 'A secret of that name exists.' },

  // Projects
  env_already_exists: {
    status: 403,
    code: 'ENV_ALREADY_EXISTS',
    meaning: 'The project has a variable of that name for the same target and branch.',
  },
  protection_not_available: {
    status: 428,
    meaning: 'The plan of the account does not include this protection.',
  },

  // Teams, accounts and login
  invalid_email: { status: 400, family: 'login', meaning: 'The e-mail address is malformed.' },
  confirmation_incomplete: {
    status: 400,
    family: 'login',
    meaning: 'The login was not accepted yet; ask again.',
  },
  not_exists: { status: 404, family: 'login', meaning: 'No account has that e-mail address.' },
  user_not_found: {
    status: 400,
    family: 'teams',
    meaning: 'No account has the e-mail address of the invitation.',
  },
  slug_taken: { status: 400, family: 'teams', meaning: 'Another team or user has that slug.' },
  last_owner: { status: 400, family: 'teams', meaning: 'A team keeps at least one OWNER.' },
  member_not_found: { status: 404, family: 'teams', meaning: 'The user is not a member of the team.' },
} as const satisfies Record<string, ErrorSpec>

export type ErrorKind = keyof typeof ERRORS

/** The code that a body shows for an error, in the words of the endpoint's age. */
export const codeOf = (kind: ErrorKind, old: boolean): string => {
  const spec: ErrorSpec = ERRORS[kind]
  return (old ? spec.legacy : undefined) ?? spec.code ?? kind
}

/** The one error that becomes an answer. Anything else that is thrown is a 500 without inner text. */
export class AloftError extends Error {
  readonly kind: ErrorKind
  readonly extra: Readonly<Record<string, unknown>>

  constructor(
    kind: ErrorKind,
    message: string,
    extra: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'AloftError'
    this.kind = kind
    this.extra = extra
  }

  get status(): number {
    return ERRORS[this.kind].status
  }
}
