import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { uploadCertificate } from '#contract/api/certificate.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { CliError, EXIT, usageError } from '../exit.ts'

/** As much as the API takes of each. */
const MOST = 100_000

export const command = defineCommand({
  doing: 'add the certificate',
  about:
    'Replaces an existing certificate for the same domains. The key is stored encrypted and never shown again.',
  arguments: {
    cert: required('PEM file with the certificate'),
    key: required('PEM file with its private key, unencrypted'),
    ca: required('PEM file with the intermediate certificates'),
  },
  examples: [['certs add cert.pem key.pem chain.pem', 'upload your own certificate']],
  hints: {
    invalid_cert: 'Check that the certificate and key match, and that the key is not encrypted.',
    domain_not_verified: 'Verify the domain first: `aloft domains inspect <domain>` explains how.',
  },
  async run(cli, given) {
    const [cert, key, ca] = [given.cert, given.key, given.ca].map((file) => readPem(cli.cwd, file))
    const api = await accountApi(cli)
    const added = await api.call(uploadCertificate, {
      body: { cert: cert ?? '', key: key ?? '', ca: ca ?? '' },
    })
    cli.out.show(added, () => 'Added the certificate. List certificates with `aloft certs ls`.')
  },
})

function readPem(folder: string, file: string): string {
  let text: string
  try {
    text = readFileSync(resolve(folder, file), 'utf8')
  } catch (error) {
    throw new CliError(EXIT.failure, `${file} cannot be read: ${(error as Error).message}.`)
  }
  if (!text.includes('-----BEGIN ') || text.length > MOST)
    throw usageError(`${file} is not a PEM file: "-----BEGIN …" is missing.`)
  return text
}
