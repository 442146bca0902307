/** A project without the secrets that pass its protection: they are shown only where they are made. */
export function withoutBypass<T extends { readonly protectionBypass?: unknown }>(
  project: T,
): Omit<T, 'protectionBypass'> {
  const { protectionBypass: _secrets, ...rest } = project
  return rest
}
