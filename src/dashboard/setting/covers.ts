import type { ProtectedType, TrustedType } from '#contract/api/project.ts'

/** Which hosts a protection is for, in words. */
export const COVERS: readonly { readonly value: ProtectedType; readonly label: string }[] = [
  { value: 'preview', label: 'Previews' },
  {
    value: 'prod_deployment_urls_and_all_previews',
    label: 'Previews, and production under the hosts of its deployments',
  },
  { value: 'all', label: 'Everything, the domains of production too' },
]

export const TRUSTED_COVERS: readonly { readonly value: TrustedType; readonly label: string }[] = [
  ...COVERS,
  { value: 'production', label: 'Production alone' },
]
