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
  bad_request: { status: 400, meaning: 'A parameter is missing or invalid. The message says which.' },
  auth_failed: {
    status: 403,
    code: 'forbidden',
    legacy: 'authentication_error',
    meaning: 'The token is missing, unknown, expired or revoked.',
  },
  payment_required: {
    status: 402,
    meaning:
      'The account is blocked until its payment is settled. Its sites are offline, and it can be read but not changed.',
  },
  forbidden: { status: 403, meaning: 'The caller isn’t allowed to do this, or not with this resource.' },
  feature_not_available: { status: 403, meaning: 'The plan of the account does not include this feature.' },
  integration_configuration_disabled: {
    status: 403,
    meaning: 'The integration is disabled. Someone else has to take it over first.',
  },
  not_found: { status: 404, meaning: 'There is no such path, version or resource.' },
  method_unknown: {
    status: 405,
    meaning: 'The endpoint doesn’t support this method. The message lists those it does.',
  },
  conflict: { status: 409, meaning: 'The change conflicts with something that exists or is in progress.' },
  not_modified: { status: 409, meaning: 'Nothing to change: the requested state is already in place.' },
  payload_too_large: { status: 413, meaning: 'The body is larger than the endpoint accepts.' },
  rate_limited: {
    status: 429,
    code: 'too_many_requests',
    legacy: 'rate_limited',
    meaning: 'The rate limit of this endpoint was exceeded. `limit.reset` says when it resets.',
  },
  internal_server_error: {
    status: 500,
    meaning: 'Something failed on the server. The id in the message identifies it in the log.',
  },
  service_unavailable: {
    status: 503,
    meaning: 'A required component isn’t responding. Try again later.',
  },

  // Deployments
  missing_files: {
    status: 400,
    family: 'deployments',
    meaning: 'Some files were not uploaded. `missing` lists them.',
  },
  no_files: { status: 400, family: 'deployments', meaning: 'The deployment has no files.' },
  env_too_many_keys: { status: 400, family: 'deployments', meaning: 'More than 100 environment variables.' },
  env_key_invalid_characters: {
    status: 400,
    family: 'deployments',
    meaning: 'A variable name contains characters other than letters, digits and `_`.',
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
    meaning: 'The referenced secret belongs to another account.',
  },
  invalid_session_affinity: {
    status: 400,
    family: 'deployments',
    meaning: '`sessionAffinity` is neither `ip` nor `random`.',
  },
  plan_requires_public: {
    status: 403,
    family: 'deployments',
    meaning: 'The OSS plan allows only public deployments.',
  },
  invalid_routes: {
    status: 400,
    family: 'deployments',
    meaning: 'A route is malformed. `errors` lists the reasons.',
  },
  unreferenced_build_specifications: {
    status: 400,
    family: 'deployments',
    meaning: 'An entry of `builds` matches no file.',
  },
  deployment_not_ready: { status: 400, family: 'deployments', meaning: 'The deployment is not READY.' },
  deployment_type_unsupported: {
    status: 400,
    family: 'deployments',
    meaning: 'This type of deployment can’t be scaled.',
  },
  wrong_min_max_relation: { status: 400, family: 'deployments', meaning: '`min` is larger than `max`.' },
  forbidden_min_instances: {
    status: 403,
    family: 'deployments',
    meaning: '`min` exceeds what the account can use.',
  },
  forbidden_max_instances: {
    status: 403,
    family: 'deployments',
    meaning: '`max` exceeds what the account can use.',
  },
  quota_exceeded: {
    status: 403,
    family: 'deployments',
    meaning:
      'The account would exceed a limit of its plan. `quota` names the limit, `limit` and `used` give the amounts, and `reset` says when it resets, if it does.',
  },
  deployment_not_found: {
    status: 404,
    family: 'deployments',
    meaning: 'There is no such deployment to point to.',
  },

  // Aliases and secrets
  invalid_alias: { status: 400, family: 'aliases', meaning: 'The alias is malformed or reserved.' },
  alias_in_use: { status: 403, family: 'aliases', meaning: 'The alias belongs to another account.' },
  gone: { status: 410, family: 'aliases', meaning: 'The deployment failed or was deleted.' },
  secret_already_exists: { status: 409, family: 'secrets', meaning: 'A secret of that name already exists.' },

  // Domains, records and certificates
  missing_name: { status: 400, family: 'domains', meaning: 'The name is missing.' },
  missing_type: { status: 400, family: 'domains', meaning: 'The type of the record is missing.' },
  invalid_name: { status: 400, family: 'domains', meaning: 'The name is not a valid domain name.' },
  invalid_domain: {
    status: 400,
    family: 'domains',
    meaning: 'The domain or its top-level domain is invalid or not supported.',
  },
  invalid_type: { status: 400, family: 'domains', meaning: 'Records of this type are not supported.' },
  invalid_value: {
    status: 400,
    family: 'domains',
    meaning: 'The value doesn’t match the record type. The message says what is expected.',
  },
  record_conflict: {
    status: 409,
    family: 'domains',
    meaning: 'An existing record conflicts with this one. `oldId` names it.',
  },
  custom_domain_needs_upgrade: {
    status: 403,
    family: 'domains',
    meaning: 'Custom domains are not included in the account’s plan.',
  },
  conflict_certs: {
    status: 409,
    family: 'domains',
    meaning: 'Certificates must be removed first. `certCNs` lists them.',
  },
  conflict_aliases: {
    status: 409,
    family: 'domains',
    meaning: 'Aliases must be removed first. `aliases` lists them.',
  },
  verification_failed: {
    status: 400,
    family: 'domains',
    meaning: 'Neither the nameservers nor a TXT record prove that the domain is yours.',
  },
  price_mismatch: {
    status: 400,
    family: 'domains',
    meaning: 'The price differs from `expectedPrice`. `price` is the current one.',
  },
  not_available: { status: 403, family: 'domains', meaning: 'The domain can’t be bought.' },
  failed_to_add_domain: {
    status: 500,
    family: 'domains',
    meaning: 'The domain was bought, but isn’t in the account yet. It will be added automatically.',
  },
  invalid_auth_code: {
    status: 400,
    family: 'domains',
    meaning: 'The authorization code is wrong.',
  },
  not_transferable: {
    status: 400,
    family: 'domains',
    meaning: 'The domain can’t be transferred, or not yet.',
  },
  domain_already_exists: {
    status: 409,
    family: 'domains',
    meaning: 'The domain is already in your account, or in another one of yours.',
  },
  cert_not_found: { status: 404, family: 'certs', meaning: 'There is no such certificate.' },
  invalid_cert: {
    status: 400,
    family: 'certs',
    meaning: 'The certificate, its key or its chain can’t be used. The message says why.',
  },
  invalid_cn: { status: 400, family: 'certs', meaning: 'A name is not a valid host name.' },
  wildcard_not_allowed: {
    status: 400,
    family: 'certs',
    meaning: 'Wildcard certificates are issued only for domains that use Aloft’s nameservers.',
  },
  domain_not_verified: {
    status: 400,
    family: 'certs',
    meaning: 'The domain must be verified first.',
  },

  // Domains of projects
  domain_already_in_use: {
    status: 409,
    meaning: 'Another project of the account has the domain. `projectId` names it.',
  },
  domain_already_on_project: {
    status: 400,
    code: 'domain_already_in_use',
    meaning: 'The project already has the domain.',
  },
  domain_not_assigned: { status: 400, meaning: 'The project does not have the domain.' },
  missing_txt_record: { status: 400, meaning: 'The TXT record for the verification was not found.' },
  existing_txt_record: { status: 400, meaning: 'The TXT record belongs to another project.' },
  invalid_redirect: { status: 400, meaning: 'The domain can’t redirect there.' },
  production_deployment_failed: {
    status: 400,
    meaning: 'The latest production deployment failed, so domains can’t be added.',
  },
  repo_not_found: { status: 400, meaning: 'The repository could not be reached.' },

  // Webhooks and drains
  invalid_url: { status: 400, meaning: 'The URL is malformed or points to a private network.' },
  invalid_event: { status: 400, meaning: 'There is no such event.' },

  // Applications and OAuth
  invalid_client: { status: 401, family: 'oauth', meaning: 'The client secret is wrong or missing.' },
  invalid_grant: {
    status: 400,
    family: 'oauth',
    meaning: 'The code is unknown, was used, has expired, or belongs to another application.',
  },
  redirect_uri_mismatch: {
    status: 400,
    family: 'oauth',
    meaning: '`redirect_uri` is not the redirect URL that the application is registered with.',
  },

  // Projects
  env_already_exists: {
    status: 403,
    code: 'ENV_ALREADY_EXISTS',
    meaning: 'The project already has a variable of that name for the same target and branch.',
  },
  missing_project_settings: {
    status: 428,
    meaning: 'The project doesn’t exist yet. Confirm its settings, then deploy again.',
  },
  protection_not_available: {
    status: 428,
    meaning: 'The plan of the account does not include this protection.',
  },

  // Teams, accounts and login
  invalid_email: { status: 400, family: 'login', meaning: 'The email address is malformed.' },
  confirmation_incomplete: {
    status: 400,
    family: 'login',
    meaning: 'The login hasn’t been approved yet. Ask again.',
  },
  not_exists: { status: 404, family: 'login', meaning: 'No account has this email address.' },
  user_not_found: {
    status: 400,
    family: 'teams',
    meaning: 'No account has the email address of the invitation.',
  },
  slug_taken: { status: 400, family: 'teams', meaning: 'Another team or user has this slug.' },
  last_owner: { status: 400, family: 'teams', meaning: 'A team needs at least one OWNER.' },
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

/** The error for a request that is not as it should be. The reason is the rest of the sentence, without its full stop. */
export const invalidRequest = (reason: string): AloftError =>
  new AloftError('bad_request', `Invalid request: ${reason}.`)

/** So much of a name that somebody gave is said again: as long as a host name may be, and not what fills a log. */
const MOST_SHOWN = 300

/** The error for what was named and is not there, of everything or of what `has` none of that name. */
export const noSuch = (what: string, name: string, has = 'There is'): AloftError =>
  new AloftError('not_found', `${has} no ${what} \`${name.slice(0, MOST_SHOWN)}\`.`)
