/** Which deployments a list shows. */
export const STATES = [
  { value: '', label: 'Any status' },
  { value: 'READY', label: 'Ready' },
  { value: 'INITIALIZING,ANALYZING,BUILDING,DEPLOYING', label: 'Building' },
  { value: 'ERROR', label: 'Failed' },
]
export const TARGETS = [
  { value: '', label: 'All targets' },
  { value: 'production', label: 'Production' },
  { value: 'preview', label: 'Preview' },
  { value: 'staging', label: 'Staging' },
]
