import { SelectField, TextField } from '../ui/control/field.tsx'

const STATES = [
  { value: '', label: 'Any status' },
  { value: 'READY', label: 'Ready' },
  { value: 'INITIALIZING,ANALYZING,BUILDING,DEPLOYING', label: 'Building' },
  { value: 'ERROR', label: 'Failed' },
]
const TARGETS = [
  { value: '', label: 'All targets' },
  { value: 'production', label: 'Production' },
  { value: 'preview', label: 'Preview' },
  { value: 'staging', label: 'Staging' },
]

interface Filter {
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Which deployments a list shows. */
export const BranchFilter = (filter: Filter) => (
  <TextField label="Branch" hideLabel type="search" placeholder="Filter by branch…" {...filter} />
)
export const StatusFilter = (filter: Filter) => (
  <SelectField label="Status" hideLabel options={STATES} {...filter} />
)
export const TargetFilter = ({
  environments,
  ...filter
}: Filter & { environments: readonly { readonly value: string; readonly label: string }[] }) => (
  <SelectField label="Target" hideLabel options={[...TARGETS, ...environments]} {...filter} />
)
