/** The variables by which programs learn whom to trust: those of Node.js, of OpenSSL and Go, and of Python's requests. */
export const trusting = (file: string): Readonly<Record<string, string>> => ({
  NODE_EXTRA_CA_CERTS: file,
  SSL_CERT_FILE: file,
  REQUESTS_CA_BUNDLE: file,
})
