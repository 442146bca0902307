import type { Role } from '#contract/api/team.ts'

export const ROLE_OPTIONS: readonly { readonly value: Role; readonly label: string }[] = [
  { value: 'MEMBER', label: 'Member' },
  { value: 'OWNER', label: 'Owner' },
]
