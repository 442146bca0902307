const AUTHORITY = /^([^:[\]]+?)\.?(?::\d{0,5})?$/

/** No name has more characters, and what has would be looked up and remembered in vain. */
const LONGEST = 253

/** The name in a Host header, in the spelling that sites are kept under. Undefined when there is none that can be a host's. */
export function hostNameOf(authority: string | undefined): string | undefined {
  const name = authority === undefined ? undefined : AUTHORITY.exec(authority)?.[1]?.toLowerCase()
  return name !== undefined && name.length > LONGEST ? undefined : name
}
