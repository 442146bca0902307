interface Reason {
  readonly why: string
  readonly hint: string
  readonly codes?: readonly string[]
}

const RUNNING = 'Check that Aloft is running there and that the URL is correct.'

/** Why no answer came, by the codes that the runtime gives. */
const REASONS = {
  refused: { codes: ['ECONNREFUSED'], why: 'nothing listens there', hint: RUNNING },
  unknown_host: {
    codes: ['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA'],
    why: 'the host name does not resolve',
    hint: 'Check the spelling of the URL, and your network.',
  },
  unreachable: {
    codes: ['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EHOSTDOWN', 'ENETDOWN'],
    why: 'there is no route to the host',
    hint: 'Check your network, and whether a firewall or VPN is in between.',
  },
  dropped: {
    codes: ['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'],
    why: 'the connection was lost',
    hint: 'Try again: Aloft, or a proxy in front of it, may be restarting.',
  },
  timeout: {
    codes: ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
    why: 'it did not respond in time',
    hint: 'Try again, and check the health of the installation.',
  },
  untrusted: {
    codes: [
      'CERT_HAS_EXPIRED',
      'CERT_NOT_YET_VALID',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_GET_ISSUER_CERT',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
    why: 'its certificate is not trusted',
    hint: 'Check the URL. If the installation has its own certificate authority, set NODE_EXTRA_CA_CERTS to its certificate.',
  },
  not_http: {
    codes: [
      'EPROTO',
      'ERR_SSL_WRONG_VERSION_NUMBER',
      'ERR_SSL_PACKET_LENGTH_TOO_LONG',
      'HPE_INVALID_CONSTANT',
    ],
    why: 'it does not use the protocol of the URL',
    hint: 'Check whether the URL should start with http:// or https://, and its port.',
  },
  failed: { why: 'the network request failed', hint: RUNNING },
} as const satisfies Record<string, Reason>

export type ConnectionFailure = keyof typeof REASONS

/** No answer came. The message names the installation and never the request, which may hold a token. */
export class ConnectionError extends Error {
  readonly baseUrl: string
  readonly reason: ConnectionFailure
  readonly hint: string

  constructor(baseUrl: string, reason: ConnectionFailure, options?: ErrorOptions) {
    const detail = reason === 'failed' ? (codeOf(options?.cause) ?? '') : ''
    super(
      `Could not reach ${baseUrl}: ${REASONS[reason].why}${detail === '' ? '' : ` (${detail})`}.`,
      options,
    )
    this.name = 'ConnectionError'
    this.baseUrl = baseUrl
    this.reason = reason
    this.hint = REASONS[reason].hint
  }
}

export function connectionError(baseUrl: string, thrown: unknown): ConnectionError {
  const code = codeOf(thrown)
  for (const [reason, { codes }] of Object.entries<Reason>(REASONS))
    if (code !== undefined && codes?.includes(code))
      return new ConnectionError(baseUrl, reason as ConnectionFailure, { cause: thrown })
  return new ConnectionError(baseUrl, 'failed', { cause: thrown })
}

/** The error that says something is wrapped by fetch, and once more where several addresses were tried. */
function codeOf(thrown: unknown): string | undefined {
  for (let error = thrown, depth = 0; typeof error === 'object' && error !== null && depth < 5; depth++) {
    const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown }
    if (typeof code === 'string') return code
    error = cause ?? (Array.isArray(errors) ? errors[0] : undefined)
  }
  return undefined
}
