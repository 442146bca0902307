/**
 * - `unreachable`: no engine answers at the address
 * - `timeout`: it did not respond in time
 * - `absent`: it has no such image, container or network
 * - `conflict`: what was asked for contradicts what there is, such as a container that runs
 * - `refused`: it does not accept the request
 * - `failed`: it could not do it
 */
export type DockerFault = 'unreachable' | 'timeout' | 'absent' | 'conflict' | 'refused' | 'failed'

export class DockerError extends Error {
  override readonly name = 'DockerError'
  readonly kind: DockerFault

  constructor(kind: DockerFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

export const isDockerError = (error: unknown, kind: DockerFault): error is DockerError =>
  error instanceof DockerError && error.kind === kind
