const AUTHORITY = /^([^:[\]]+?)\.?(?::\d{0,5})?$/

/** The name in a Host header, in the spelling that sites are kept under. Undefined when there is none. */
export function hostNameOf(authority: string | undefined): string | undefined {
  return authority === undefined ? undefined : AUTHORITY.exec(authority)?.[1]?.toLowerCase()
}
