import type { ProtectedType, TrustedType } from '#contract/api/project.ts'

/** Which hosts a protection is for, in words. */
export const COVERS: readonly { readonly value: ProtectedType; readonly label: string }[] = [
  { value: 'preview', label: 'Previews' },
  {
    value: 'prod_deployment_urls_and_all_previews',
    label: 'Previews and production deployment URLs',
  },
  { value: 'all', label: 'All deployments, including production domains' },
]

export const TRUSTED_COVERS: readonly { readonly value: TrustedType; readonly label: string }[] = [
  ...COVERS,
  { value: 'production', label: 'Production only' },
]
