interface InstanceHost {
  readonly deploymentHost: string
  readonly instance: string
}

const FORM = /^([a-z0-9-]+)-([a-z0-9]{24})(\..+)$/

/** The unique address of an instance: the host of its deployment, with its id at the end of the first label. */
export function readInstanceHost(host: string): InstanceHost | undefined {
  const [, label, instance = '', rest] = FORM.exec(host) ?? []
  return label === undefined ? undefined : { deploymentHost: `${label}${rest}`, instance }
}
