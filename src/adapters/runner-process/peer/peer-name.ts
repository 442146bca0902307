const SUFFIX = '.machine.internal'

/** The name in the certificate of a machine. */
export const certificateName = (machine: string): string => `${machine}${SUFFIX}`

/** Whose certificate it is; undefined where it is that of no machine. */
export const machineOf = (names: string | undefined): string | undefined =>
  names
    ?.split(', ')
    .find((name) => name.startsWith('DNS:') && name.endsWith(SUFFIX))
    ?.slice('DNS:'.length, -SUFFIX.length)
