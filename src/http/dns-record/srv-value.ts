export interface SrvParts {
  readonly priority: number
  readonly weight: number
  readonly port: number
  readonly target?: string
}

/** The value of an SRV record whose parts come apart from each other, as other clients send them. */
export const srvValue = ({ priority, weight, port, target }: SrvParts): string =>
  [priority, weight, port, target].filter((part) => part !== undefined).join(' ')
